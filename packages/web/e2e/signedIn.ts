/** Signs in without stretching a password: writes the session that pages store for "Stay signed in". */
import type { Owner } from '@blindkeep/client/owner'
import type { Page } from 'playwright-core'

export type KeptSession = ReturnType<typeof keptSession>

/** The owner's session as JSON. */
export function keptSession(owner: Owner) {
  return { email: owner.email, accountKey: [...owner.accountKey], tokens: owner.tokens() }
}

/** `page` must show another document of the pages' origin. */
export async function keepSession(page: Page, owner: Owner): Promise<void> {
  await page.evaluate(writeSession, keptSession(owner))
}

/** Runs in the page. Writes the same rows as `src/owner/browser/ownerStore.ts`. */
export async function writeSession({ email, accountKey, tokens }: KeptSession): Promise<void> {
  const settled = <Result>(request: IDBRequest<Result>) =>
    new Promise<Result>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const opening = indexedDB.open('blindkeep.owner', 1)
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('session')
    opening.result.createObjectStore('devices', { autoIncrement: true })
  }
  const database = await settled(opening)
  const change = database.transaction('session', 'readwrite')
  // Leaving the document aborts a transaction that is not committed.
  const committed = new Promise<void>((resolve, reject) => {
    change.oncomplete = () => resolve()
    change.onabort = () => reject(change.error)
  })
  change.objectStore('session').put({ email, accountKey: new Uint8Array(accountKey), tokens }, 'kept')
  await committed
  database.close()
}
