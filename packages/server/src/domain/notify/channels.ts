/** An owner's channels: where they hear of landed drops (decisions/notifications.md). */
import { normaliseEmail } from '@blindkeep/protocol/email'
import { type AccountId, type ChannelId, parseChannelId } from '@blindkeep/protocol/ids'
import { CHANNEL_CODE_DIGITS, type ChannelKind } from '@blindkeep/protocol/schemas/channels'
import type { GiveUpAfter } from '../../ground/pause.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Messenger, Target } from '../../ports/messenger.ts'
import type { Random } from '../../ports/random.ts'
import { accountLock, type Channel, type Store } from '../../ports/store.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import { newId } from '../ground/newId.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { createChannelChecks, type ListedChannel } from './channelChecks.ts'
import { createRequestedMessages } from './requestedMessages.ts'
import { createTargets, type StoredTarget, shownOf } from './targets.ts'

export const MAX_CHANNELS = 10
const SECRET_BYTES = 32

export interface ChannelRequest {
  readonly kind: ChannelKind
  readonly address: string
  readonly token: string | undefined
  /** Of push: its keys are required, and an id. */
  readonly push?: { readonly p256dh: Uint8Array | undefined; readonly auth: Uint8Array | undefined }
  readonly channelId?: ChannelId | undefined
  /** Bound to the id, so it needs one. */
  readonly sealedName?: Uint8Array | undefined
}

export interface AddedChannel extends ListedChannel {
  /** Of a webhook. */
  readonly secret: Uint8Array | undefined
}

interface ChannelPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly keyring: Pick<Keyring, 'seal' | 'open'>
  readonly messenger: Messenger
  readonly giveUpAfter: GiveUpAfter
}

export type Channels = ReturnType<typeof createChannels>

export function createChannels(ports: ChannelPorts) {
  const { store, clock, random, messenger } = ports
  const targets = createTargets(ports)
  const requested = createRequestedMessages(ports)

  function listedOf(channel: Channel): ListedChannel {
    const target = targets.open(channel.channelId, channel.sealedTarget)
    return { channel, shown: shownOf(target), sealedName: target.sealedName }
  }

  return {
    /** The kinds that may be added. */
    offered: messenger.offered,
    /** What a browser subscribes with. Undefined unless push is offered. */
    pushKey: messenger.pushKey,

    /** An e-mail address gets its code now, and never again: an owner who has not got it adds the address once more. */
    async add(
      accountId: AccountId,
      request: ChannelRequest,
    ): Promise<
      | AddedChannel
      | Refuses<'session_over' | 'channel_invalid' | 'channel_not_offered' | 'channel_limited' | 'limit_reached'>
    > {
      if (!messenger.offered.includes(request.kind)) return { refused: 'channel_not_offered' }
      const target = newTarget(request, ports)
      if (isRefusal(target)) return target
      if (target.kind === 'email') {
        const refused = await requested.countCode(accountId, target)
        if (refused !== undefined) return refused
      }
      const channelId = request.channelId ?? newId(random, parseChannelId)
      const state = target.kind === 'email' ? ('unconfirmed' as const) : ('active' as const)
      const sealedTarget = targets.seal(channelId, target)
      const row = { channelId, accountId, kind: request.kind, state, sealedTarget, createdAt: clock.now() }
      const channel = await store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        if ((await tx.channels.listOf(accountId)).length >= MAX_CHANNELS)
          return { refused: 'limit_reached', detail: `an account has at most ${MAX_CHANNELS} channels` } as const
        // An id of the client's may be taken, also by another account's channel: the caller learns only that.
        if (!(await tx.channels.insert(row)))
          return { refused: 'channel_invalid', detail: '/channel_id must be a new one' } as const
        return (await tx.channels.find(channelId)) ?? notInserted()
      })
      if (isRefusal(channel)) return channel
      if (state === 'unconfirmed') await requested.send(target)
      return { ...listedOf(channel), secret: target.kind === 'webhook' ? target.secret : undefined }
    },

    /** Oldest first. */
    async list(accountId: AccountId): Promise<readonly ListedChannel[]> {
      return (await store.ask((tx) => tx.channels.listOf(accountId))).map(listedOf)
    },

    /** The caller does not learn whether the channel existed. */
    async remove(accountId: AccountId, channelId: ChannelId): Promise<void> {
      await store.write([accountLock(accountId)], (tx) => tx.channels.remove(channelId, accountId))
    },

    ...createChannelChecks({ ...ports, targets, requested, listedOf }),
  }
}

function newTarget(
  request: ChannelRequest,
  { random, messenger }: Pick<ChannelPorts, 'random' | 'messenger'>,
): StoredTarget | Refuses<'channel_invalid'> {
  const { kind, address, token, push, channelId, sealedName } = request
  if (kind !== 'ntfy' && token !== undefined)
    return { refused: 'channel_invalid', detail: '/token belongs to a channel of the kind ntfy' }
  if (kind !== 'push' && Object.values(push ?? {}).some((member) => member !== undefined))
    return {
      refused: 'channel_invalid',
      detail: '/p256dh and /auth belong to a channel of the kind push',
    }
  if (sealedName !== undefined && channelId === undefined)
    return { refused: 'channel_invalid', detail: '/sealed_name needs /channel_id' }
  if (kind === 'email') {
    const email = normaliseEmail(address)
    if (email === undefined) return { refused: 'channel_invalid', detail: '/address must be a plain e-mail address' }
    return { kind, address: email, code: newCode(random), sealedName }
  }
  const target = targetOf(kind, request, random)
  if (isRefusal(target)) return target
  const fault = messenger.faultIn(target)
  return fault === undefined ? { ...target, sealedName } : { refused: 'channel_invalid', detail: `/address ${fault}` }
}

function targetOf(
  kind: Exclude<ChannelKind, 'email'>,
  { address: url, token, push, channelId }: ChannelRequest,
  random: Random,
): Target | Refuses<'channel_invalid'> {
  if (kind === 'webhook') return { kind, url, secret: random.bytes(SECRET_BYTES) }
  if (kind === 'ntfy') return { kind, url, token }
  const { p256dh, auth } = push ?? {}
  if (channelId === undefined || p256dh === undefined || auth === undefined)
    return { refused: 'channel_invalid', detail: '/p256dh, /auth and /channel_id are required for the kind push' }
  return { kind, url, p256dh, auth }
}

/** Each number is as likely as any other: of the 2^32 values, those that would make some likelier are drawn again. */
function newCode(random: Random): string {
  const codes = 10 ** CHANNEL_CODE_DIGITS
  for (;;) {
    const value = Buffer.from(random.bytes(4)).readUInt32BE()
    if (value < codes * Math.floor(2 ** 32 / codes)) return String(value % codes).padStart(CHANNEL_CODE_DIGITS, '0')
  }
}

function notInserted(): never {
  throw new Error('a channel is missing in the transaction that inserted it')
}
