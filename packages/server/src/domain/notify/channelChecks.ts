/** How an owner finds out whether a channel works: the code of an e-mail address, and tests. */
import type { AccountId, ChannelId } from '@blindkeep/protocol/ids'
import type { DeliveryFault } from '@blindkeep/protocol/schemas/channels'
import type { Clock } from '../../ports/clock.ts'
import { accountLock, type Channel, type Store } from '../../ports/store.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { RequestedMessages } from './requestedMessages.ts'
import { isCode, type Targets } from './targets.ts'

export interface ListedChannel {
  readonly channel: Channel
  /** Its host or e-mail address. */
  readonly shown: string
  /** Of a browser. */
  readonly sealedName: Uint8Array | undefined
}

export interface ChannelTest {
  /** Undefined if the message has arrived. */
  readonly fault: DeliveryFault | undefined
}

interface ChannelCheckPorts {
  readonly store: Store
  readonly clock: Clock
  readonly targets: Targets
  readonly requested: RequestedMessages
  readonly listedOf: (channel: Channel) => ListedChannel
}

export function createChannelChecks({ store, clock, targets, requested, listedOf }: ChannelCheckPorts) {
  async function findOwn(accountId: AccountId, channelId: ChannelId): Promise<Channel | Refuses<'channel_not_found'>> {
    const channel = await store.ask((tx) => tx.channels.find(channelId))
    return channel?.accountId === accountId ? channel : { refused: 'channel_not_found' }
  }

  return {
    /** A confirmed channel gets the same answer for any code. */
    async confirm(
      accountId: AccountId,
      channelId: ChannelId,
      code: string,
    ): Promise<ListedChannel | Refuses<'channel_not_found' | 'channel_code_wrong' | 'channel_limited'>> {
      const channel = await findOwn(accountId, channelId)
      if (isRefusal(channel)) return channel
      if (channel.state !== 'unconfirmed') return listedOf(channel)
      const refused = await requested.countGuess(channelId)
      if (refused !== undefined) return refused
      const target = targets.open(channelId, channel.sealedTarget)
      if (target.kind !== 'email' || !isCode(code, target)) return { refused: 'channel_code_wrong' }
      const to = targets.seal(channelId, { kind: 'email', address: target.address })
      await store.write([accountLock(accountId)], (tx) =>
        tx.channels.confirm(channelId, { from: channel.sealedTarget, to }),
      )
      const confirmed = await findOwn(accountId, channelId)
      return isRefusal(confirmed) ? confirmed : listedOf(confirmed)
    },

    /**
     * Sends one message and waits for its fate. A test that arrives makes a channel active again that was given up. An
     * address that was not confirmed gets nothing: it may be a stranger's, who has a code already.
     */
    async test(
      accountId: AccountId,
      channelId: ChannelId,
    ): Promise<ChannelTest | Refuses<'channel_not_found' | 'channel_limited'>> {
      const channel = await findOwn(accountId, channelId)
      if (isRefusal(channel)) return channel
      if (channel.state === 'unconfirmed') return { fault: 'unconfirmed' }
      const target = targets.open(channelId, channel.sealedTarget)
      const refused = await requested.countTest(accountId, target)
      if (refused !== undefined) return refused
      const delivery = await requested.send(target)
      if (delivery !== 'sent') return delivery
      await store.write([accountLock(accountId)], (tx) => tx.channels.resume(channelId, clock.now()))
      return { fault: undefined }
    },
  }
}
