import type { GuestStore } from './guestStore.ts'

/** One tab works at a stored upload: two would send the same bytes to one session. */
export interface TabLocks {
  /** Resolves with the release, or undefined when another tab has the lock. A closing tab releases all. */
  lock(id: string): Promise<(() => void) | undefined>
  isLocked(id: string): Promise<boolean>
  /** Resolves when no tab has the lock. */
  whenFree(id: string): Promise<void>
}

/** The ids are random, so the names reveal nothing about the link. */
const nameOf = (id: string) => `blindkeep-upload-${id}`

/** Web Locks work between all tabs of this origin. Every browser that can seal has them. */
function createTabLocks(locks: LockManager): TabLocks {
  return {
    lock: (id) =>
      new Promise((resolve, reject) => {
        const hold = (lock: Lock | null) => {
          if (lock === null) return resolve(undefined)
          return new Promise<void>((release) => resolve(release))
        }
        locks.request(nameOf(id), { ifAvailable: true }, hold).catch(reject)
      }),
    isLocked: async (id) => (await locks.query()).held?.some(({ name }) => name === nameOf(id)) ?? false,
    whenFree: (id) => locks.request(nameOf(id), () => undefined),
  }
}

/** Without a persistent store tabs share nothing, and locks may be refused (Web Locks, `request`). */
export function locksFor({ isPersistent }: Pick<GuestStore, 'isPersistent'>, locks: LockManager | undefined): TabLocks {
  return isPersistent && locks !== undefined ? createTabLocks(locks) : createSoleLocks()
}

/** Locks that exist within this tab only. */
export function createSoleLocks(): TabLocks {
  const locked = new Map<string, { readonly released: Promise<void> }>()
  return {
    async lock(id) {
      if (locked.has(id)) return undefined
      let release = () => undefined as undefined
      const released = new Promise<void>((resolve) => {
        release = () => {
          locked.delete(id)
          resolve()
        }
      })
      locked.set(id, { released })
      return release
    },
    isLocked: async (id) => locked.has(id),
    whenFree: async (id) => locked.get(id)?.released,
  }
}
