/** The lock of the stored session. Each token works once, so only one tab at a time may use them (Web Locks). */

const NAME = 'blindkeep.session'

export interface TabLock {
  /** Resolves when another tab has stolen the lock. */
  readonly stolen: Promise<void>
  release(): void
}

/** Undefined when another tab has the lock, unless `steal` is set. */
export function requestTabLock({ steal }: { readonly steal: boolean }): Promise<TabLock | undefined> {
  return new Promise((resolve, reject) => {
    let isGranted = false
    let resolveStolen: () => void
    const stolen = new Promise<void>((done) => {
      resolveStolen = done
    })
    navigator.locks
      .request(NAME, steal ? { steal: true } : { ifAvailable: true }, (lock) => {
        isGranted = true
        if (lock === null) return resolve(undefined)
        return new Promise<void>((release) => resolve({ stolen, release }))
      })
      // A lock that was granted and fails afterwards was stolen (Web Locks, request).
      .catch((error: unknown) => (isGranted ? resolveStolen() : reject(error)))
  })
}
