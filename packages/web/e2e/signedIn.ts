/** Somebody who asked to stay signed in, without a password that would have to be stretched first: what the pages then keep, put where they keep it. */
import type { Owner } from '@blindkeep/client/owner'
import type { Page } from 'playwright-core'

/** As `src/owner/keptSession.ts` keeps it. `page` shows a document of the pages' origin that is none of theirs. */
export async function keepSession(page: Page, owner: Owner): Promise<void> {
  await page.evaluate(
    async ({ accountKey, tokens }) => {
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
      // Only then is it there: leaving the document aborts what is not committed.
      const committed = new Promise<void>((resolve, reject) => {
        change.oncomplete = () => resolve()
        change.onabort = () => reject(change.error)
      })
      change.objectStore('session').put({ accountKey: new Uint8Array(accountKey), tokens }, 'kept')
      await committed
      database.close()
    },
    { accountKey: [...owner.accountKey], tokens: owner.tokens() },
  )
}
