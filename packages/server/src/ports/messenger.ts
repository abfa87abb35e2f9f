import type { Instant } from '@blindkeep/protocol/ids'
import type { ChannelKind, DeliveryFault } from '@blindkeep/protocol/schemas/channels'
import type { Landings } from './store.ts'

/** Where a channel leads, with its secrets. */
export type Target =
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: Uint8Array }
  | { readonly kind: 'ntfy'; readonly url: string; readonly token: string | undefined }
  | { readonly kind: 'email'; readonly address: string }
  | PushTarget

/** A browser's subscription (RFC 8291, section 2). */
export interface PushTarget {
  readonly kind: 'push'
  /** The endpoint. Who knows it can send nothing without the server's key, but it names the browser. */
  readonly url: string
  /** An uncompressed point of P-256, 65 bytes. */
  readonly p256dh: Uint8Array
  /** SECRET, 16 bytes. */
  readonly auth: Uint8Array
}

/** What an owner reads. It never has a name, nor an id or address that opens anything. */
export type Message = {
  /** The same for each repeat, so that a receiver can recognise one. */
  readonly messageId: string
} & (
  | ({ readonly about: 'landings' } & Landings)
  | { readonly about: 'moved'; readonly from: string; readonly to: string; readonly at: Instant }
  | { readonly about: 'test' }
  | { readonly about: 'code'; readonly code: string }
  | ({ readonly about: 'alarms' } & AlarmNews)
)

/** For the operator. */
export interface AlarmNews {
  readonly begun: readonly {
    readonly kind: string
    readonly severity: string
    /** A sentence with its figures, and what to do. */
    readonly what: string
    readonly todo: string
  }[]
  readonly over: readonly { readonly kind: string; readonly name: string }[]
}

/** `why`: the status of the answer or the system's word, without what the receiver said. For the operator alone. */
export type Delivery = 'sent' | { readonly fault: DeliveryFault; readonly why?: string | undefined }

/**
 * Sends messages to addresses that owners have chosen. A receiver learns nothing but the message, and the caller learns
 * nothing of its answer but a class of faults. Nothing of a target is logged.
 */
export interface Messenger {
  /** The kinds that the operator has set up. */
  readonly offered: readonly ChannelKind[]
  /** What a browser subscribes with: an uncompressed point of P-256. Undefined unless push is offered. */
  readonly pushKey: Uint8Array | undefined
  /** What is visibly wrong with a target: a sentence without subject. It may still lead to a forbidden address. */
  faultIn(target: Target): string | undefined
  /** One attempt, bounded in time and memory. `sent`: the receiver took it. Rejects only after an abort. */
  send(target: Target, message: Message, signal: AbortSignal): Promise<Delivery>
}
