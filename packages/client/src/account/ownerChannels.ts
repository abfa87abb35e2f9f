/** Channels: where the owner hears that files have landed. The server knows how many and when, and nothing else that it could say. */
import type { ChannelId } from '@blindkeep/protocol/ids'
import type { ChannelKind, ChannelResponse, ChannelState, DeliveryFault } from '@blindkeep/protocol/schemas/channels'
import type { Call } from '../http/call.ts'

export type { ChannelKind, ChannelState, DeliveryFault } from '@blindkeep/protocol/schemas/channels'

export interface OwnChannel {
  readonly channelId: ChannelId
  readonly kind: ChannelKind
  /** `unconfirmed`: an e-mail address that waits for its code. `given_up`: the server tries no more, until a test arrives. */
  readonly state: ChannelState
  /** The host of a URL, or the e-mail address, as the server says. */
  readonly shown: string
  /** RFC 3339, as the other times. */
  readonly createdAt: string
  /** Failed attempts since the last message that arrived. */
  readonly attempts: number
  readonly lastSentAt: string | undefined
  readonly lastFailedAt: string | undefined
  readonly lastFault: DeliveryFault | undefined
}

export interface OwnChannels {
  /** The kinds that the operator offers. */
  readonly offered: readonly ChannelKind[]
  /** Oldest first. */
  readonly channels: readonly OwnChannel[]
}

export interface AddChannel {
  readonly kind: ChannelKind
  /** A whole URL, or an e-mail address. The server never returns a URL. */
  readonly address: string
  /** Of an ntfy topic that needs one. */
  readonly token?: string | undefined
}

export interface AddedChannel {
  readonly channel: OwnChannel
  /** SECRET, of a webhook: its messages are signed with it (Standard Webhooks). The server returns it this once. */
  readonly secret: string | undefined
}

export interface OwnerChannels {
  channels(): Promise<OwnChannels>
  /** An e-mail address gets a message with a code, for `confirmChannel`. Not repeated when the answer is lost: look at `channels`. */
  addChannel(wanted: AddChannel): Promise<AddedChannel>
  /** Throws `error.channel.code_wrong`. */
  confirmChannel(channelId: ChannelId, code: string): Promise<OwnChannel>
  /** Sends a test message, or the code once more. Answers why it did not arrive; undefined if it has. Takes up to 20 seconds. */
  testChannel(channelId: ChannelId): Promise<DeliveryFault | undefined>
  /** No error if there is no such channel. */
  removeChannel(channelId: ChannelId): Promise<void>
}

export function createOwnerChannels({ call }: { readonly call: Call }): OwnerChannels {
  return {
    async channels() {
      const { body } = await call('listChannels')
      return { offered: body.offered, channels: body.channels.map(channelOf) }
    },

    async addChannel({ kind, address, token }) {
      const { body } = await call('addChannel', { body: { kind, address, ...(token !== undefined && { token }) } })
      return { channel: channelOf(body.channel), secret: body.secret ?? undefined }
    },

    async confirmChannel(channelId, code) {
      const { body } = await call('confirmChannel', { path: { channel_id: channelId }, body: { code } })
      return channelOf(body)
    },

    async testChannel(channelId) {
      const { body } = await call('testChannel', { path: { channel_id: channelId } })
      // Without a fault, a message that was not delivered has an unknown one.
      return body.delivered ? undefined : (body.fault ?? 'receiver_failed')
    },

    async removeChannel(channelId) {
      await call('removeChannel', { path: { channel_id: channelId } })
    },
  }
}

function channelOf(entry: ChannelResponse): OwnChannel {
  return {
    channelId: entry.channel_id,
    kind: entry.kind,
    state: entry.state,
    shown: entry.shown,
    createdAt: entry.created_at,
    attempts: entry.attempts,
    lastSentAt: entry.last_sent_at ?? undefined,
    lastFailedAt: entry.last_failed_at ?? undefined,
    lastFault: entry.last_fault ?? undefined,
  }
}
