/** A server moves to another address while browsers have something stored under the old one. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it, type TestContext } from 'node:test'
import { moveServer, reachedAt } from '../../../../testing/moveServer.ts'
import { newOwner } from '../../../../testing/people.ts'
import { freePort, startServer } from '../../../../testing/startServer.ts'
import { guest } from '../../src/text/en/guest.ts'
import { BARE } from '../bare.ts'
import { keptSession, writeSession } from '../signedIn.ts'
import { PAGES_DIRECTORY } from '../world.ts'
import type { StoryBrowser } from './port.ts'
import { openPage, type StoryPage } from './storyPage.ts'

/** Browsers resolve names below `localhost` themselves, and take them for secure. To the server they are any names. */
const NAMES = { old: 'old.localhost', new: 'new.localhost' }

export function formerNameStory(browser: StoryBrowser): void {
  it('leads from the old address to the new one, and forgets what it stored there only with the owner’s page', async (t) => {
    const { server, old, present } = await startAtOld(t)
    const owner = await newOwner(old, reachedAt(old, server))
    const { url } = await owner.createLink({ title: 'Photos of the wedding' })
    const page = await openPage(browser, { url, leadsTo: [present] })
    t.after(() => page.close())
    t.diagnostic(page.tab.version)
    await sendOne(page, 'before')
    await page.tab.goto(`${old}${BARE}`)
    await page.tab.run(writeSession, keptSession(owner))
    await page.tab.run(storeMore)
    const before = await page.tab.run(stored)
    assert.ok(before.databases.length > 1, String(before.databases))
    assert.deepEqual([before.items, before.workers], [1, 1])

    await moveServer(server, present)

    await page.tab.goto(url)
    await sendOne(page, 'after')
    assert.equal(await page.tab.run(address), url.replace(old, present))
    await page.tab.goto(`${old}${BARE}`)
    assert.deepEqual(await page.tab.run(stored), before)

    await arrive(page, `${old}/#/register`, `${present}/#/register`)
    await page.tab.goto(`${old}${BARE}`)
    await page.until('the end of what was stored', async () => {
      const { databases, items, workers } = await page.tab.run(stored)
      return databases.length + items + workers === 0
    })
    await page.tab.goto(`${present}${BARE}`)
    assert.ok((await page.tab.run(stored)).databases.length > 0)
  })
}

/** A server at its old address, and the address to which it can move. */
export async function startAtOld(t: TestContext) {
  const port = await freePort()
  const [old, present] = [`http://${NAMES.old}:${port}`, `http://${NAMES.new}:${port}`]
  const env = { PAGES_DIR: PAGES_DIRECTORY, REGISTRATION: 'open', INSECURE_PUBLIC_URL: 'allowed' }
  const server = await startServer({ port, publicUrl: old, env })
  t.after(() => server.stop())
  return { server, old, present }
}

/** Opens an old address, and resolves when the browser has been led to the new one. */
export async function arrive(page: StoryPage, from: string, to: string): Promise<void> {
  await page.tab.goto(from)
  // Between two documents there is none to ask.
  const asked = () => page.tab.run(address).catch(() => undefined)
  await page.until('the new address', async () => (await asked()) === to)
}

async function sendOne(page: StoryPage, name: string): Promise<void> {
  await page.see({ text: 'Photos of the wedding' })
  await page.choose({ role: 'file', name: guest.choose.files }, { [name]: new Uint8Array(randomBytes(1000)) })
  await page.click({ role: 'button', name: /^Send \d/ })
  await page.see({ role: 'heading', name: /arrived$/ })
}

/** Runs in the page. */
const address = () => location.href

interface TrustedTypes {
  createPolicy(name: string, rules: object): { createScriptURL(given: string): unknown }
}

/** Runs in the page: what pages of an owner who wants messages leave. */
async function storeMore(): Promise<void> {
  localStorage.setItem('x', 'y')
  // The document has the policy of the pages, which asks for a checked address.
  const { trustedTypes: types } = globalThis as { readonly trustedTypes?: TrustedTypes }
  const policy = types?.createPolicy('blindkeep-worker', { createScriptURL: (given: string) => given })
  const script = policy?.createScriptURL('/push/worker.js') ?? '/push/worker.js'
  const { installing, active } = await navigator.serviceWorker.register(script as string, { scope: '/push/' })
  const worker = installing ?? active
  while (worker?.state !== 'activated') await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Runs in the page. */
async function stored() {
  return {
    databases: (await indexedDB.databases()).map(({ name }) => name).toSorted(),
    items: localStorage.length,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }
}
