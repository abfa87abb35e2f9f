import type { Landed, LinkLimits, SendProgress } from '@blindkeep/client/guest'

/** The demo's order to a guest process. */
export interface GuestOrder {
  readonly url: string
  readonly path: string
  /** The file for the state of the upload; an existing one is resumed. */
  readonly statePath: string
  readonly passphrase: string
  readonly note: string
  readonly sender: string
}

export interface GuestDone extends Landed {
  readonly receiptSeq: number
  readonly receivedAt: string
  readonly keyId: string
  readonly peakMemoryBytes: number | undefined
}

/** Messages of a guest process to the demo. */
export type GuestMessage =
  | { readonly is: 'limits'; readonly limits: LinkLimits }
  | { readonly is: 'progress'; readonly progress: SendProgress }
  | { readonly is: 'done'; readonly done: GuestDone }
  | { readonly is: 'failed'; readonly message: string }
