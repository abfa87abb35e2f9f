/** Messages that an owner asks for: tests, and the codes of e-mail addresses. */
import type { AccountId } from '@blindkeep/protocol/ids'
import type { GiveUpAfter } from '../../ground/pause.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Delivery, Message, Messenger } from '../../ports/messenger.ts'
import type { Random } from '../../ports/random.ts'
import type { Refuses } from '../ground/refusals.ts'
import { createSendingLimits } from './sendingLimits.ts'
import type { StoredTarget } from './targets.ts'

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
  const limits = createSendingLimits({ limiter })

  async function limited(taking: Promise<number | undefined>): Promise<Refuses<'channel_limited'> | undefined> {
    const retryAfterSeconds = await taking
    return retryAfterSeconds === undefined ? undefined : { refused: 'channel_limited', retryAfterSeconds }
  }

  return {
    /** Before a code is sent: the address may be a stranger's. */
    countCode: (accountId: AccountId, target: StoredTarget) => limited(limits.code(accountId, target)),

    countTest: (accountId: AccountId, target: StoredTarget) => limited(limits.test(accountId, target)),

    countGuess: (channelId: string) =>
      limited(
        limiter.take([
          { rule: 'codes-of-channel', key: channelId, max: MAX_WRONG_CODES, windowSeconds: WINDOW_SECONDS },
        ]),
      ),

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
