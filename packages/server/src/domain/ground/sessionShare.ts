/**
 * What an account may use up in a time is shared among its sessions. A stolen access token is one session: it uses up
 * its own share, and the owner, who signs in again, has another one. What the owner can free or end needs no share, nor
 * does what ends as soon as a token does (decisions/limits.md).
 */
import type { AccountId, SessionId } from '@blindkeep/protocol/ids'
import type { Limit } from '../../ports/limiter.ts'
import type { Account } from '../../ports/store.ts'

/** Four sessions together use up what their account has. */
const SHARES = 4

/** Whose request it is. Requests without a session (earlier builds' rows) count as one. */
export interface Spender {
  readonly accountId: AccountId
  readonly sessionId?: SessionId | undefined
}

export const spenderOf = ({
  account: { accountId },
  sessionId,
}: {
  readonly account: Pick<Account, 'accountId'>
  readonly sessionId: SessionId
}): Spender => ({ accountId, sessionId })

interface Shared {
  /** Of all sessions together. */
  readonly max: number
  readonly maxOfSession?: number
  readonly windowSeconds: number
  readonly weight?: number
}

const shareOfSession = (max: number): number => Math.ceil(max / SHARES)

/** A lone session has all of `max`. All together have a third more: one leaves the others a quarter. */
export const wholeForOne = (max: number) => ({ max: Math.ceil((max * SHARES) / (SHARES - 1)), maxOfSession: max })

export function sharedLimits(
  what: string,
  { accountId, sessionId }: Spender,
  { max, maxOfSession = shareOfSession(max), ...counted }: Shared,
): readonly Limit[] {
  return [
    { rule: `${what}-of-session`, key: sessionId ?? accountId, max: maxOfSession, ...counted },
    { rule: `${what}-of-account`, key: accountId, max, ...counted },
  ]
}
