import type { AccountId, Instant } from '@blindkeep/protocol/ids'

/** Accounts to look at, each not before an instant. */
export interface Awaited {
  /** The earliest instant of an account counts. Forgets the account if there are too many. */
  lookAgain(accountId: AccountId, notBefore: Instant): void
  /** Takes out those whose instant has come. */
  takeDue(now: Instant): readonly AccountId[]
}

export function createAwaited(max: number): Awaited {
  const awaited = new Map<AccountId, Instant>()
  return {
    lookAgain(accountId, notBefore) {
      const present = awaited.get(accountId)
      if (present === undefined && awaited.size >= max) return
      if (present === undefined || notBefore < present) awaited.set(accountId, notBefore)
    },
    takeDue(now) {
      const due = [...awaited].filter(([, notBefore]) => notBefore <= now).map(([accountId]) => accountId)
      for (const accountId of due) awaited.delete(accountId)
      return due
    },
  }
}
