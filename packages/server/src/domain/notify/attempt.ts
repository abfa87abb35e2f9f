/** One attempt to notify an owner by one channel. */
import { createHash } from 'node:crypto'
import { addSeconds, type ChannelId, type Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Keyring } from '../../ports/keyring.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Log } from '../../ports/log.ts'
import type { Delivery, Messenger } from '../../ports/messenger.ts'
import type { Random } from '../../ports/random.ts'
import type { ChannelNews, Landings, NotedMove, Store } from '../../ports/store.ts'
import { createSendingLimits } from './sendingLimits.ts'
import { createTargets, type StoredTarget } from './targets.ts'

/** A message waits until nothing has landed for so long. */
export const QUIET_SECONDS = 5
/** From its first drop on, it waits no longer than this. */
export const MAX_GATHERING_SECONDS = 30
/** Between two messages of a channel. */
export const PAUSE_SECONDS = 60
/** Longer than an attempt lasts. */
export const LEASE_SECONDS = 60
export const FIRST_RETRY_SECONDS = 15
const MAX_RETRY_SECONDS = 3600
/** About a day. */
export const MAX_ATTEMPTS = 30

export interface AttemptPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly keyring: Pick<Keyring, 'seal' | 'open'>
  readonly messenger: Messenger
  readonly limiter: Pick<Limiter, 'take'>
  readonly log: Log
}

/** What a channel has not reported, after `after` up to `upTo`. */
interface Range {
  readonly after: number
  readonly upTo: number
}

/** What one message says. */
type Report = ({ readonly about: 'landings' } & Landings) | ({ readonly about: 'moved' } & Omit<NotedMove, 'changeSeq'>)

interface Sending {
  readonly target: StoredTarget
  readonly report: Report
  readonly upTo: number
  readonly signal: AbortSignal
}

/** Sends a due message once its drops are all there. Answers when to look again; undefined if nothing is left. */
export type Attempt = (news: ChannelNews, signal: AbortSignal) => Promise<Instant | undefined>

export function createAttempt({ store, clock, random, keyring, messenger, limiter, log }: AttemptPorts): Attempt {
  const targets = createTargets({ keyring })
  const limits = createSendingLimits({ limiter })

  function send({ channelId, notifiedSeq }: ChannelNews, { target, report, upTo, signal }: Sending): Promise<Delivery> {
    const times = report.about === 'moved' ? [report.at] : [report.firstAt, report.lastAt]
    return messenger.send(
      target,
      { messageId: messageIdOf(channelId, [notifiedSeq, upTo, ...times]), ...report },
      signal,
    )
  }

  /** The next report in the range, and the part of the range that it is about. A move has a message of its own. */
  async function next(
    { accountId, kind }: ChannelNews,
    range: Range,
  ): Promise<{ readonly range: Range; readonly report?: Report }> {
    // A browser's subscription ends with the address that it belongs to.
    const move = kind === 'push' ? undefined : await store.ask((tx) => tx.channels.firstMove(accountId, range))
    const before = { ...range, upTo: move === undefined ? range.upTo : move.changeSeq - 1 }
    const landings = await store.ask((tx) => tx.channels.landings(accountId, before))
    if (landings !== undefined) return { range: before, report: { about: 'landings', ...landings } }
    if (move === undefined) return { range }
    const { changeSeq, ...moved } = move
    return { range: { ...range, upTo: changeSeq }, report: { about: 'moved', ...moved } }
  }

  async function settle(
    { channelId, kind, attempts }: ChannelNews,
    { claimId, delivery }: { readonly claimId: string; readonly delivery: Delivery },
  ): Promise<Instant | undefined> {
    const at = clock.now()
    if (delivery === 'sent') {
      const dueAt = addSeconds(at, PAUSE_SECONDS)
      await store.write([], (tx) => tx.channels.settle(channelId, { claimId, at, dueAt }))
      return dueAt
    }
    const { fault } = delivery
    const isOver = fault === 'no_longer_there' || attempts + 1 >= MAX_ATTEMPTS
    const state = isOver ? 'given_up' : 'active'
    const dueAt = addSeconds(at, retrySeconds(attempts, random))
    await store.write([], (tx) => tx.channels.fail(channelId, { claimId, at, fault, state, dueAt }))
    log.warn('an owner’s channel failed', { kind, fault, attempts: attempts + 1, state })
    return isOver ? undefined : dueAt
  }

  return async function attempt(news, signal) {
    const { accountId, channelId, notifiedSeq, sendingSeq, changeSeq } = news
    const { range, report } = await next(news, { after: notifiedSeq, upTo: sendingSeq ?? changeSeq })
    const now = clock.now()
    // Also a message whose events were removed after a week.
    if (report === undefined) {
      await store.write([], (tx) => tx.channels.skip(channelId, { ...range, at: now }))
      // Something may have landed since the channel was read.
      return now
    }
    const complete = report.about === 'moved' ? now : completeAt(report)
    if (sendingSeq === undefined && now < complete) return complete
    const target = targets.open(channelId, news.sealedTarget)
    const waitSeconds = await limits.news(accountId, target)
    if (waitSeconds !== undefined) return addSeconds(now, waitSeconds)
    const claimId = random.uuid()
    const claim = { claimId, ...range, at: now, until: addSeconds(now, LEASE_SECONDS) }
    const upTo = await store.write([], (tx) => tx.channels.claim(channelId, claim))
    // Another process has it, or had begun another message.
    if (upTo !== range.upTo) return addSeconds(now, LEASE_SECONDS)
    return settle(news, { claimId, delivery: await send(news, { target, report, upTo, signal }) })
  }
}

function completeAt({ firstAt, lastAt }: Landings): Instant {
  const [quiet, longest] = [addSeconds(lastAt, QUIET_SECONDS), addSeconds(firstAt, MAX_GATHERING_SECONDS)]
  return quiet < longest ? quiet : longest
}

/** Between half of it and all of it at random, so that channels that failed together do not come back together. */
function retrySeconds(attempts: number, random: Random): number {
  const longest = Math.min(FIRST_RETRY_SECONDS * 2 ** attempts, MAX_RETRY_SECONDS)
  const [part = 0] = random.bytes(1)
  return Math.ceil((longest * (1 + part / 255)) / 2)
}

/** The same for a repeat, another for other drops, also after a restore. Reveals nothing of its parts. */
function messageIdOf(channelId: ChannelId, values: readonly number[]): string {
  const hash = createHash('sha256')
    .update([channelId, ...values].join(' '))
    .digest('hex')
  return `msg_${hash.slice(0, 32)}`
}
