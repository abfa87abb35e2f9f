import type { GuestStore } from './guestStore.ts'

/** One tab works at a stored upload: two would send the same bytes to one session. */
export interface TabLocks {
  /** Resolves with the function that releases it, or with undefined when another tab has it. A tab that closes releases all its locks. */
  take(id: string): Promise<(() => void) | undefined>
  isTaken(id: string): Promise<boolean>
  /** Resolves when no tab has it. */
  whenFree(id: string): Promise<void>
}

/** The ids are random, so the names reveal nothing about the link. */
const nameOf = (id: string) => `blindkeep-upload-${id}`

/** Web Locks work between all tabs of this origin. Every browser that can seal has them. */
function createTabLocks(locks: LockManager): TabLocks {
  return {
    take: (id) =>
      new Promise((resolve, reject) => {
        const hold = (lock: Lock | null) => {
          if (lock === null) return resolve(undefined)
          return new Promise<void>((release) => resolve(release))
        }
        locks.request(nameOf(id), { ifAvailable: true }, hold).catch(reject)
      }),
    isTaken: async (id) => (await locks.query()).held?.some(({ name }) => name === nameOf(id)) ?? false,
    whenFree: (id) => locks.request(nameOf(id), () => undefined),
  }
}

/** Without a persistent store, tabs share nothing; a browser that stores nothing may also refuse locks (Web Locks, `request`). */
export function locksFor({ isPersistent }: Pick<GuestStore, 'isPersistent'>, locks: LockManager | undefined): TabLocks {
  return isPersistent && locks !== undefined ? createTabLocks(locks) : createSoleLocks()
}

/** Locks that exist within this tab only. */
export function createSoleLocks(): TabLocks {
  const taken = new Map<string, { readonly released: Promise<void> }>()
  return {
    async take(id) {
      if (taken.has(id)) return undefined
      let release = () => undefined as undefined
      const released = new Promise<void>((resolve) => {
        release = () => {
          taken.delete(id)
          resolve()
        }
      })
      taken.set(id, { released })
      return release
    },
    isTaken: async (id) => taken.has(id),
    whenFree: async (id) => taken.get(id)?.released,
  }
}
