import type { Keep } from './keep.ts'

/** Each kept upload is worked at by one tab: two would send the same bytes to one session. */
export interface TabLocks {
  /** Resolves with what gives it back, or with nothing when another tab has it. A tab that goes away gives back all it has. */
  take(id: string): Promise<(() => void) | undefined>
  isTaken(id: string): Promise<boolean>
  /** Resolves when no tab has it. */
  free(id: string): Promise<void>
}

/** Random ids, so the names say nothing of the link. */
const nameOf = (id: string) => `blindkeep-upload-${id}`

/** Web Locks, which every browser has that can seal; they work between all tabs of this origin. */
function createTabLocks(locks: LockManager): TabLocks {
  return {
    take: (id) =>
      new Promise((resolve, reject) => {
        const hold = (lock: Lock | null) => {
          if (lock === null) return resolve(undefined)
          return new Promise<void>((giveBack) => resolve(giveBack))
        }
        locks.request(nameOf(id), { ifAvailable: true }, hold).catch(reject)
      }),
    isTaken: async (id) => (await locks.query()).held?.some(({ name }) => name === nameOf(id)) ?? false,
    free: (id) => locks.request(nameOf(id), () => undefined),
  }
}

/** What a tab alone keeps needs no lock between tabs, and a browser that keeps nothing may refuse those, too (Web Locks, `request`). */
export function locksFor({ isLasting }: Pick<Keep, 'isLasting'>, locks: LockManager | undefined): TabLocks {
  return isLasting && locks !== undefined ? createTabLocks(locks) : createSoleLocks()
}

/** Within one tab. */
export function createSoleLocks(): TabLocks {
  const held = new Map<string, { readonly gone: Promise<void> }>()
  return {
    async take(id) {
      if (held.has(id)) return undefined
      let giveBack = () => undefined as undefined
      const gone = new Promise<void>((resolve) => {
        giveBack = () => {
          held.delete(id)
          resolve()
        }
      })
      held.set(id, { gone })
      return giveBack
    },
    isTaken: async (id) => held.has(id),
    free: async (id) => held.get(id)?.gone,
  }
}
