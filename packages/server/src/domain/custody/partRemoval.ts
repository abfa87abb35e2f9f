/**
 * Removes the bytes at keys that do not count, in a store with keys: of parts that were given up, replaced, or whose
 * object was removed. Each key is emptied twice, a day apart, because a stopped process may still have been writing the
 * first time; then its row goes. Only a committed row decides: what may count by now stays.
 */
import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import { addSeconds } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { KeyedBytes } from '../../ports/keyedBytes.ts'
import { type DuePart, isStoreBroken, type Store } from '../../ports/store.ts'
import type { JoiningSettings } from './joining.ts'

interface PartRemovalPorts {
  readonly store: Store
  readonly keyedBytes: Pick<KeyedBytes, 'remove' | 'list'>
  readonly clock: Clock
}

/** Per sweep. */
const MAX_DUE = 500
const DAY_SECONDS = 86_400
/** A key without a row is a leftover only after so long beyond the grace of parts. */
const LEFTOVER_SECONDS = 2 * DAY_SECONDS

export function createPartRemoval(
  { store, keyedBytes, clock }: PartRemovalPorts,
  { partGraceSeconds }: JoiningSettings,
) {
  async function removeOne({ key, state, isRemoved }: DuePart): Promise<void> {
    if (state === 'writing' && !(await store.write([], (tx) => tx.parts.giveUp(key, clock.now())))) return
    await keyedBytes.remove(key)
    await store.write([], (tx) =>
      isRemoved ? tx.parts.remove(key) : tx.parts.noteRemoved(key, addSeconds(clock.now(), DAY_SECONDS)),
    )
  }

  return {
    /** Removes the bytes of due parts, at most 500. One that fails keeps no other from being removed. */
    async removeDue(): Promise<void> {
      const due = await store.read((tx) => tx.parts.due(clock.now(), MAX_DUE))
      await tryEachInTurn(due, removeOne, isStoreBroken)
    },

    /** Removes old keys that no row has: a row comes before the first byte. Keys of landed objects keep their rows. */
    async removeLeftovers(signal: AbortSignal): Promise<number> {
      let removed = 0
      for await (const { key, ageSeconds } of keyedBytes.list()) {
        signal.throwIfAborted()
        if (ageSeconds < partGraceSeconds + LEFTOVER_SECONDS) continue
        if (await store.read((tx) => tx.parts.isKnown(key))) continue
        await keyedBytes.remove(key)
        removed += 1
      }
      return removed
    },
  }
}
