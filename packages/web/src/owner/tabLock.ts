/** The lock of the stored session. Each token works once, so only one tab at a time may use them (Web Locks). */

const NAME = 'blindkeep.session'

export interface TabLock {
  /** Resolves when another tab has taken it. */
  readonly lost: Promise<void>
  release(): void
}

/** Undefined when another tab has the lock, unless `steal` takes it from there. */
export function takeTabLock({ steal }: { readonly steal: boolean }): Promise<TabLock | undefined> {
  return new Promise((resolve, reject) => {
    let isGranted = false
    let lose: () => void
    const lost = new Promise<void>((done) => {
      lose = done
    })
    navigator.locks
      .request(NAME, steal ? { steal: true } : { ifAvailable: true }, (lock) => {
        isGranted = true
        if (lock === null) return resolve(undefined)
        return new Promise<void>((release) => resolve({ lost, release }))
      })
      // A lock that was granted and fails afterwards was stolen (Web Locks, request).
      .catch((error: unknown) => (isGranted ? lose() : reject(error)))
  })
}
