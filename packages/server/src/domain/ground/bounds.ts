/**
 * How many rows an account may have of each kind, living or dead. Each is judged under the account's lock. How often
 * rows may be added is in `rowBudget.ts`; what has no bound here has a rate or a price (decisions/limits.md has all
 * of them).
 */
import type { Refuses } from './refusals.ts'

export const BOUNDS = {
  'live devices': 100,
  /** Each has its key in the list, because what a revoked device signed is still judged. */
  'devices, revoked ones included': 500,
  'live links': 1000,
  /** Older ended ones leave the list, and keep their id. */
  'links, ended ones included': 3000,
  albums: 1000,
  shares: 1000,
  /** Of indexes and lists of contents, which the quota does not count. */
  'bytes of shares': 64 * 1024 * 1024,
  'live capabilities': 1000,
  /** The public list of revoked ones stays short. */
  'capabilities that have not ended, revoked ones included': 1467,
  /** So a session that mints and revokes leaves the others a quarter. */
  'capabilities of one session that have not ended': 1100,
  'unfinished uploads': 1000,
  passkeys: 20,
} as const

export type Bounded = keyof typeof BOUNDS

/** The refusal when an account that has `count` cannot have one more. */
export function judgeBound(what: Bounded, count: number): Refuses<'limit_reached'> | undefined {
  return count < BOUNDS[what]
    ? undefined
    : { refused: 'limit_reached', detail: `an account has at most ${BOUNDS[what]} ${what}` }
}
