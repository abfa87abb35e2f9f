/**
 * Tells owners of landed drops by their channels (decisions/notifications.md). What is due is in the database: the
 * events between what a channel has reported and the account's last change. Memory only says where to look first.
 */
import { type AccountId, addSeconds, type ChannelId, type Instant } from '@blindkeep/protocol/ids'
import type { ChannelNews } from '../../ports/store.ts'
import { type AttemptPorts, createAttempt, FIRST_RETRY_SECONDS, QUIET_SECONDS } from './attempt.ts'

/** Between two looks at all channels. */
export const LOOK_SECONDS = 60
/** Attempts at once, on a node and for one account. A slow receiver holds one for 20 seconds at most. */
const MAX_UNDER_WAY = 64
const MAX_UNDER_WAY_OF_ACCOUNT = 2
/** Accounts to look at first. What does not fit is found by the look at all channels. */
const MAX_AWAITED = 10_000
/** Accounts in one statement. */
const MAX_ASKED = 64
/** Channels in one look. */
const MAX_FOUND = 500

export type Notifier = ReturnType<typeof createNotifier>

export function createNotifier(ports: AttemptPorts) {
  const { store, clock, messenger, log } = ports
  const attempt = createAttempt(ports)
  const isOn = messenger.offered.length > 0
  const { lookAgain, takeDue } = createAwaited()
  const underWay = new Map<ChannelId, { readonly accountId: AccountId; readonly done: Promise<void> }>()
  let nextLook: Instant | undefined
  let lookedAt = 0

  /** A page of the channels. The next page follows with the next call, and the first one again after a minute. */
  async function lookAtAll(now: Instant): Promise<void> {
    if (nextLook !== undefined && now < nextLook) return
    const found = await store.ask((tx) => tx.channels.withNews({ at: now, after: lookedAt, max: MAX_FOUND }))
    lookedAt = found.length < MAX_FOUND ? 0 : (found.at(-1)?.place ?? 0)
    nextLook = lookedAt === 0 ? addSeconds(now, LOOK_SECONDS) : undefined
    for (const { accountId } of found) lookAgain(accountId, now)
  }

  function hasRoom(accountId: AccountId): boolean {
    const ofAccount = [...underWay.values()].filter((attempt) => attempt.accountId === accountId)
    return underWay.size < MAX_UNDER_WAY && ofAccount.length < MAX_UNDER_WAY_OF_ACCOUNT
  }

  function start(news: ChannelNews, signal: AbortSignal): void {
    const { accountId, channelId } = news
    const done = attempt(news, signal)
      .then((again) => {
        if (again !== undefined) lookAgain(accountId, again)
      })
      .catch((error: unknown) => {
        if (signal.aborted) return
        log.error('a message could not be sent', { error })
        lookAgain(accountId, addSeconds(clock.now(), FIRST_RETRY_SECONDS))
      })
      .finally(() => underWay.delete(channelId))
    underWay.set(channelId, { accountId, done })
  }

  function begin(news: ChannelNews, { now, signal }: { readonly now: Instant; readonly signal: AbortSignal }): void {
    const { accountId, channelId } = news
    if (underWay.has(channelId)) return
    const from = startOf(news)
    if (from > now) lookAgain(accountId, from)
    else if (hasRoom(accountId)) start(news, signal)
    else lookAgain(accountId, now)
  }

  return {
    /** A drop has landed. Costs nothing but memory. */
    landed(accountId: AccountId): void {
      if (isOn) lookAgain(accountId, addSeconds(clock.now(), QUIET_SECONDS))
    },

    /** Starts the attempts that are due, and does not wait for them. Call it every second or so. */
    async tend(signal: AbortSignal): Promise<void> {
      if (!isOn) return
      const now = clock.now()
      await lookAtAll(now)
      const due = takeDue(now)
      for (let from = 0; from < due.length; from += MAX_ASKED) {
        const some = due.slice(from, from + MAX_ASKED)
        const found = await store.ask((tx) => tx.channels.newsOf(some))
        for (const news of found) begin(news, { now, signal })
      }
    },

    /** Resolves when no attempt is under way. */
    async isIdle(): Promise<void> {
      while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ done }) => done))
    },
  }
}

function startOf({ dueAt, leasedUntil = dueAt }: ChannelNews): Instant {
  return dueAt > leasedUntil ? dueAt : leasedUntil
}

/** Accounts to look at, each not before an instant. */
function createAwaited() {
  const awaited = new Map<AccountId, Instant>()
  return {
    /** The earliest instant of an account counts. Forgets the account if there are too many. */
    lookAgain(accountId: AccountId, notBefore: Instant): void {
      const present = awaited.get(accountId)
      if (present === undefined && awaited.size >= MAX_AWAITED) return
      if (present === undefined || notBefore < present) awaited.set(accountId, notBefore)
    },
    /** Takes out those whose instant has come. */
    takeDue(now: Instant): readonly AccountId[] {
      const due = [...awaited].filter(([, notBefore]) => notBefore <= now).map(([accountId]) => accountId)
      for (const accountId of due) awaited.delete(accountId)
      return due
    },
  }
}
