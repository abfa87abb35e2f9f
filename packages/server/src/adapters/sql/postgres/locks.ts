import { createHash } from 'node:crypto'
import type { Lock, Locks } from '../../../ports/store.ts'

/** The order of kinds in every transaction: with different orders, two could wait for each other forever. */
const KINDS: readonly string[] = ['receipt log', 'chain', 'server', 'removal', 'account']

/** An advisory lock's number: 64 bits of a hash, as others number from 0. Equal numbers only wait for each other. */
export function keyOf(lock: Lock): bigint {
  return createHash('sha256').update(`blindkeep ${lock}`).digest().readBigInt64BE(0)
}

/** Without duplicates, in the order in which everyone takes them. */
export function inOrder(locks: Locks): readonly Lock[] {
  const kindOf = (lock: Lock) => KINDS.indexOf(lock.startsWith('account ') ? 'account' : lock)
  return [...new Set(locks)]
    .map((lock) => ({ lock, kind: kindOf(lock), key: keyOf(lock) }))
    .toSorted((one, other) => one.kind - other.kind || (one.key < other.key ? -1 : 1))
    .map(({ lock }) => lock)
}

/** A statement that takes the locks, one after another, until the transaction ends. */
export function lockStatements(locks: Locks): string {
  const keys = inOrder(locks).map(keyOf)
  return keys.length === 0 ? '' : `; select pg_advisory_xact_lock(key) from unnest(array[${keys}]::bigint[]) as key`
}
