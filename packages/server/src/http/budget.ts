/**
 * The memory that requests may make the server hold: bodies of JSON until they are answered, pieces of chunks until
 * they are written, answers until they are sent. The request that comes last is refused, not the ones that are already
 * there. Numbers: `decisions/limits.md`.
 */
import type { SessionId } from '@blindkeep/protocol/ids'
import type { Refuses } from '../domain/ground/refusals.ts'

const MEBIBYTE = 1024 * 1024

interface Pool {
  readonly total: number
  /** The most of one holder, if it is known. Guests of no known network share the total. */
  readonly each: number
}

/** In bytes. Guests have pools of their own, so that they cannot use up the owners'. */
const POOLS = {
  'guest json': { total: 8 * MEBIBYTE, each: MEBIBYTE },
  'owner json': { total: 32 * MEBIBYTE, each: 8 * MEBIBYTE },
  'guest chunk': { total: 64 * MEBIBYTE, each: 16 * MEBIBYTE },
  'owner chunk': { total: 32 * MEBIBYTE, each: 16 * MEBIBYTE },
  'guest answer': { total: 64 * MEBIBYTE, each: 16 * MEBIBYTE },
  // The list of a full inbox has up to 30 MiB.
  'owner answer': { total: 96 * MEBIBYTE, each: 48 * MEBIBYTE },
} as const satisfies Record<`${Holder['kind']} ${Kept}`, Pool>

/** One session's part of its account's share: slow readers of a stolen token leave the owner the rest. */
const PART_OF_SESSION = 3 / 4

/** Bounded by connections (`connections.ts`), not counted: large bodies keep no sign-in or small drop out. */
const FREE_BYTES = 4096

const RETRY_AFTER_SECONDS = 5

export type Kept = 'json' | 'chunk' | 'answer'

export interface Holder {
  readonly kind: 'owner' | 'guest'
  /** The account of an owner, the network of a guest (`guestNetwork.ts`); undefined if it is unknown. */
  readonly key: string | undefined
  /** Of an owner. */
  readonly sessionId?: SessionId | undefined
}

/** What one request holds. */
export interface Hold {
  /** Reserves the memory before the first byte is there, so that a body that was let in always has its place. */
  take(kept: Kept, holder: Holder, bytes: number): Refuses<'overloaded'> | undefined
  isEmpty(): boolean
  /** Gives everything back. May be called more than once. */
  leave(): void
}

export interface Budget {
  open(): Hold
  /** The bytes that are reserved now. */
  heldBytes(): number
}

export function createBudget(): Budget {
  const held = new Map<string, number>()
  const heldOf = (name: string) => held.get(name) ?? 0
  let total = 0

  function change(name: string, bytes: number): void {
    const now = heldOf(name) + bytes
    if (now === 0) held.delete(name)
    else held.set(name, now)
  }

  /** The names under which the bytes count; undefined when there is no room. */
  function roomFor(kept: Kept, { kind, key, sessionId }: Holder, bytes: number): readonly string[] | undefined {
    const name = `${kind} ${kept}` as const
    const { total, each } = POOLS[name]
    const most = new Map<string, number>([[name, total]])
    if (key !== undefined) most.set(`${name} ${key}`, each)
    if (sessionId !== undefined) most.set(`${name} ${sessionId}`, PART_OF_SESSION * each)
    const isFull = [...most].some(([held, max]) => heldOf(held) + bytes > max)
    return isFull ? undefined : [...most.keys()]
  }

  return {
    heldBytes: () => total,
    open() {
      const taken: { readonly names: readonly string[]; readonly bytes: number }[] = []
      return {
        take(kept, holder, bytes) {
          if (bytes <= FREE_BYTES) return undefined
          const names = roomFor(kept, holder, bytes)
          if (names === undefined) return { refused: 'overloaded', retryAfterSeconds: RETRY_AFTER_SECONDS }
          for (const name of names) change(name, bytes)
          total += bytes
          taken.push({ names, bytes })
          return undefined
        },
        isEmpty: () => taken.length === 0,
        leave() {
          for (const { names, bytes } of taken.splice(0)) {
            for (const name of names) change(name, -bytes)
            total -= bytes
          }
        },
      }
    },
  }
}
