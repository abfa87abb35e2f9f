/** Channels: where the owner hears that files have landed. The server can say how many and when, nothing else. */
import { type Bytes, fromBase64, toBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import { type ChannelId, parseChannelId } from '@blindkeep/protocol/ids'
import type { ChannelKind, ChannelResponse, ChannelState, DeliveryFault } from '@blindkeep/protocol/schemas/channels'
import type { Environment } from '../ground/environment.ts'
import type { Call } from '../http/call.ts'
import { newId } from '../seal/newId.ts'
import { openGivenName, sealName } from '../seal/sealedName.ts'

export type { ChannelKind, ChannelState, DeliveryFault } from '@blindkeep/protocol/schemas/channels'

export interface OwnChannel {
  readonly channelId: ChannelId
  readonly kind: ChannelKind
  /** `unconfirmed`: an e-mail address waits for its code. `given_up`: the server stops until a test arrives. */
  readonly state: ChannelState
  /** The host of a URL, or the e-mail address, as the server says. */
  readonly shown: string
  /** Only the owner can read it. Always one of a browser. */
  readonly name: string | undefined
  /** Set when the name from the server does not open under this account's key as that of this channel. */
  readonly nameFault: string | undefined
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
  /** For a browser's subscription: an uncompressed point of P-256 (RFC 8292, section 3.2). Undefined without push. */
  readonly pushKey: Bytes | undefined
}

export interface AddChannel {
  readonly kind: Exclude<ChannelKind, 'push'>
  /** A whole URL, or an e-mail address. The server never returns a URL. */
  readonly address: string
  /** Of an ntfy topic that needs one. */
  readonly token?: string | undefined
  /** Only the owner can read it. */
  readonly name?: string | undefined
}

/** A browser's subscription (W3C Push API), to messages that this server sends. */
export interface AddBrowser {
  readonly endpoint: string
  /** 65 bytes. */
  readonly p256dh: Bytes
  /** SECRET, 16 bytes. */
  readonly auth: Bytes
  /** Only the owner can read it. */
  readonly name: string
}

export interface AddedChannel {
  readonly channel: OwnChannel
  /** SECRET, of a webhook: its messages are signed with it (Standard Webhooks). The server returns it this once. */
  readonly secret: string | undefined
}

export interface OwnerChannels {
  channels(): Promise<OwnChannels>
  /**
   * An e-mail address gets a message with a code, for `confirmChannel`. Throws `RangeError` for a name of more than 600
   * bytes. Not repeated when the answer is lost: look at `channels`.
   */
  addChannel(wanted: AddChannel): Promise<AddedChannel>
  /** Messages go to this browser too. Throws `RangeError` for a name above 600 bytes. Never repeated. */
  addBrowser(wanted: AddBrowser): Promise<OwnChannel>
  /** Throws `error.channel.code_wrong`. */
  confirmChannel(channelId: ChannelId, code: string): Promise<OwnChannel>
  /** Sends a test message, or the code again, within 20 seconds. Returns why it did not arrive; undefined if it has. */
  testChannel(channelId: ChannelId): Promise<DeliveryFault | undefined>
  /** No error if there is no such channel. */
  removeChannel(channelId: ChannelId): Promise<void>
}

interface OwnerChannelsPorts {
  readonly call: Call
  readonly accountKey: Bytes
  readonly environment: Pick<Environment, 'randomBytes'>
}

export function createOwnerChannels({ call, accountKey, environment }: OwnerChannelsPorts): OwnerChannels {
  const nameSeal = (channelId: ChannelId) =>
    ({ key: accountKey, purpose: 'channel-name', contextId: uuidBytes(channelId) }) as const

  async function channelOf(entry: ChannelResponse): Promise<OwnChannel> {
    const { text: name, fault } = await openGivenName(nameSeal(entry.channel_id), entry.sealed_name)
    return {
      channelId: entry.channel_id,
      kind: entry.kind,
      state: entry.state,
      shown: entry.shown,
      name,
      nameFault: fault,
      createdAt: entry.created_at,
      attempts: entry.attempts,
      lastSentAt: entry.last_sent_at ?? undefined,
      lastFailedAt: entry.last_failed_at ?? undefined,
      lastFault: entry.last_fault ?? undefined,
    }
  }

  /** The client draws the id, because the name is bound to it. */
  async function newNamed(name: string) {
    const channelId = newId(environment, parseChannelId)
    const sealed = await sealName(nameSeal(channelId), name)
    return { channel_id: channelId, ...(sealed !== undefined && { sealed_name: toBase64(sealed) }) }
  }

  return {
    async channels() {
      const { body } = await call('listChannels')
      const { push_key: key } = body
      return {
        offered: body.offered,
        channels: await Promise.all(body.channels.map(channelOf)),
        pushKey: key === undefined || key === null ? undefined : fromBase64(key),
      }
    },

    async addChannel({ kind, address, token, name }) {
      const named = name === undefined ? {} : await newNamed(name)
      const { body } = await call('addChannel', {
        body: { kind, address, ...(token !== undefined && { token }), ...named },
      })
      return { channel: await channelOf(body.channel), secret: body.secret ?? undefined }
    },

    async addBrowser({ endpoint, p256dh, auth, name }) {
      const { body } = await call('addChannel', {
        body: {
          kind: 'push',
          address: endpoint,
          p256dh: toBase64(p256dh),
          auth: toBase64(auth),
          ...(await newNamed(name)),
        },
      })
      return channelOf(body.channel)
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
