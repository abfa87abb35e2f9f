/** Messages that an owner asks for: tests, and the codes of e-mail addresses. */
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Limiter } from '../../ports/limiter.ts'
import type { Delivery, Message, Messenger } from '../../ports/messenger.ts'
import type { Random } from '../../ports/random.ts'
import type { GiveUpAfter } from '../pause.ts'
import type { Refuses } from '../refusals.ts'
import type { StoredTarget } from './targets.ts'

/** Of one account in a window. Each goes to an address that the owner has named, and that may be a stranger's. */
export const MAX_TESTS = 10
/** Of one address in a window. */
export const MAX_WRONG_CODES = 10
const WINDOW_SECONDS = 900
const MAX_SEND_MS = 20_000

interface RequestedMessagePorts {
  readonly random: Random
  readonly limiter: Limiter
  readonly messenger: Messenger
  readonly giveUpAfter: GiveUpAfter
}

export type RequestedMessages = ReturnType<typeof createRequestedMessages>

export function createRequestedMessages({ random, limiter, messenger, giveUpAfter }: RequestedMessagePorts) {
  async function limited(rule: string, key: string, max: number): Promise<Refuses<'channel_limited'> | undefined> {
    const retryAfterSeconds = await limiter.take([{ rule, key, max, windowSeconds: WINDOW_SECONDS }])
    return retryAfterSeconds === undefined ? undefined : { refused: 'channel_limited', retryAfterSeconds }
  }

  return {
    countMessage: (accountId: AccountId) => limited('channel-tests-of-account', accountId, MAX_TESTS),

    countCode: (channelId: string) => limited('codes-of-channel', channelId, MAX_WRONG_CODES),

    /** An address that is not confirmed gets its code and nothing else. */
    async send(target: StoredTarget): Promise<Delivery> {
      const messageId = `msg_${random.uuid()}`
      const message: Message =
        target.kind === 'email' && target.code !== undefined
          ? { messageId, about: 'code', code: target.code }
          : { messageId, about: 'test' }
      const signal = giveUpAfter(MAX_SEND_MS)
      try {
        return await messenger.send(target, message, signal)
      } catch (error) {
        if (signal.aborted) return { fault: 'timed_out' }
        throw error
      }
    },
  }
}
