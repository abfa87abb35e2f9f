/**
 * Files that another app shares with the installed one. Chromium has no share menu without a system around it, so a
 * page of another origin sends the same form to the same address: for the service worker that is the same request.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Owner } from '@blindkeep/client/owner'
import type { Page } from 'playwright-core'
import { anotherClient } from '../../../testing/people.ts'
import { until } from '../../../testing/until.ts'
import { spokenName } from '../src/common/names/visibleName.ts'
import { MAX_TAKEN_FILES, MAX_TAKEN_HOURS } from '../src/take/takenFiles.ts'
import { account as accountText } from '../src/text/en/account.ts'
import { albums as albumsText } from '../src/text/en/albums.ts'
import { inbox as inboxText } from '../src/text/en/inbox.ts'
import { links as linksText } from '../src/text/en/links.ts'
import { owner as shellText } from '../src/text/en/owner.ts'
import { take as text } from '../src/text/en/take.ts'
import { button, section, signIn } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { giveFiles } from './giveFiles.ts'
import { useWorld, useWorldBehindProxy, type World } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })
const behind = useWorldBehindProxy(async () => undefined)

/** On a busy machine an upload takes a while. */
const MAX_WAIT_MS = 60_000

interface Shared {
  readonly name: string
  readonly bytes: Buffer
  readonly type?: string
}

const shared = (name: string, size: number): Shared => ({ name, bytes: randomBytes(size) })

/** A page of another origin with a form for the app's address. */
async function startOtherSite(t: TestContext, { url }: World): Promise<string> {
  const form = `<!doctype html><form method="post" enctype="multipart/form-data" action="${url}/take/"><input type="file" name="files" multiple><button>Share</button></form>`
  const server = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(form)).listen(
    0,
    'localhost',
  )
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://localhost:${address.port}/`
}

async function share(page: Page, from: string, files: readonly Shared[]): Promise<void> {
  await page.goto(from)
  const given = files.map(({ name, bytes: buffer, type = 'application/octet-stream' }) => ({
    name,
    mimeType: type,
    buffer,
  }))
  await giveFiles(page.locator('input'), given)
  await button(page, 'Share').click()
}

/** How many forms have reached the server. */
const posts = () => world.server.log().match(/"method":"POST","route":"\/take\//g)?.length ?? 0

async function turnOn(page: Page, { url }: World = world): Promise<void> {
  await page.goto(`${url}/#/account`)
  const own = section(page, text.title)
  await own.getByRole('button', { name: text.start }).click()
  await own.getByText(text.install).waitFor()
}

const manifestOf = (page: Page) =>
  page.evaluate(() => document.querySelector<HTMLLinkElement>('link[rel=manifest]')?.href)

async function keptBy(owner: Owner, { server }: World = world): Promise<ReadonlyMap<string, Uint8Array>> {
  const kept = new Map<string, Uint8Array>()
  const other = anotherClient(server.url, owner)
  for await (const { changes } of other.changes())
    for (const { asset } of changes) {
      if (asset === undefined) continue
      const opened = await other.openAsset(asset.assetId)
      assert.equal(opened.modifiedAt, undefined, 'no app says when its file was changed')
      kept.set(opened.name ?? '', new Uint8Array(await new Response(opened.content).arrayBuffer()))
    }
  return kept
}

/** How many files the browser stores. */
function storedIn(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('blindkeep.taken')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const counting = opening.result.transaction('files').objectStore('files').count()
          counting.onsuccess = () => resolve(counting.result)
          opening.result.close()
        }
      }),
  )
}

function untilStored(page: Page, count: number): Promise<void> {
  return until(async () => (await storedIn(page)) === count, `${count} files are stored`, MAX_WAIT_MS)
}

interface Beginning {
  /** The owner has not chosen "Stay signed in". */
  readonly withPassword?: boolean
  readonly at?: World
  readonly expected?: readonly RegExp[]
}

async function begin(t: TestContext, { withPassword = false, at = world, expected = [] }: Beginning = {}) {
  const elsewhere = await startOtherSite(t, at)
  const person = await at.person()
  const { page, context } = await browser.open(t, {
    url: `${at.url}/#/account`,
    ...(withPassword ? {} : { signedInAs: person.owner }),
    passwordsInNode: true,
    expected: [/request to another origin: http:\/\/localhost/, ...expected],
  })
  if (withPassword) await signIn(page, person)
  return { person, owner: person.owner, page, context, elsewhere, postsBefore: posts() }
}

const contentsOf = (files: readonly Shared[]) => new Map(files.map(({ name, bytes }) => [name, new Uint8Array(bytes)]))

describe('files from other apps', () => {
  it('wait on the device for the owner’s word, and get into an album, also after a reload', async (t) => {
    const { owner, page, elsewhere, postsBefore } = await begin(t)
    await owner.createAlbum({ name: 'Summer' })
    assert.equal(await manifestOf(page), `${world.url}/app/app.webmanifest`)
    await section(page, text.title).getByText(text.risk).waitFor()
    await assertAccessible(page)
    await turnOn(page)
    assert.equal(await manifestOf(page), `${world.url}/app/taking.webmanifest`)
    await assertAccessible(page)

    await share(page, elsewhere, [])
    await page.waitForURL(`${world.url}/#/albums`)
    assert.equal(await storedIn(page), 0, 'a form without a chosen file has an entry without a name and bytes')

    const [small, large, unwanted] = [
      shared('<b>small.bin', 5_000),
      shared(`${'large'.repeat(40)}.bin`, 3_000_000),
      shared('x', 10),
    ]
    await share(page, elsewhere, [small, unwanted])
    await page.waitForURL(`${world.url}/#/albums`)
    await page.getByText(text.waiting(2)).waitFor()
    assert.equal(await manifestOf(page), `${world.url}/app/taking.webmanifest`)
    await share(page, elsewhere, [large])
    await page.getByText(text.waiting(3)).waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    await assertAccessible(page)
    const { x = 0, width = 0 } = (await button(page, text.discardOf(spokenName(large.name, ''))).boundingBox()) ?? {}
    assert.ok(width > 0 && x + width < 320, `the button ends at ${x + width}`)
    await button(page, text.discardOf('x')).press('Enter')
    await page.getByText(text.waiting(2)).waitFor()
    await page.locator('.taken :focus').waitFor()

    await button(page, text.add).press('Enter')
    world.line.slow({ upBytesPerSecond: 100_000 })
    await button(page, text.submit(2)).press('Enter')
    await page.locator('.upload.sending').filter({ hasText: large.name }).waitFor()
    await page.locator('.upload.done').filter({ hasText: small.name }).waitFor()
    await page.goto(`${world.url}/#/links`)
    await page.reload()
    await page.getByRole('heading', { name: linksText.title, level: 1 }).waitFor()
    assert.equal(await storedIn(page), 1)
    world.line.mend()
    await untilStored(page, 0)
    assert.deepEqual(await keptBy(owner), contentsOf([small, large]))
    assert.equal(posts(), postsBefore, 'no form reached the server')
  })

  it('are added by one of two tabs, discarded, refused beyond a bound, and deleted after a day and with the sign-out', async (t) => {
    const { person, page, context, elsewhere, postsBefore } = await begin(t, { withPassword: true })
    const second = await context.newPage()
    await second.goto(`${world.url}/#/albums`)
    await signIn(second, person)
    await turnOn(page)
    const sharing = await context.newPage()
    await share(sharing, elsewhere, [shared('one', 10), shared('two', 20)])
    await sharing.getByText(text.signIn).waitFor()
    await assertAccessible(sharing)
    for (const tab of [page, second]) await tab.getByText(text.waiting(2)).waitFor()
    await button(second, text.discardOf('one')).click()
    await page.getByText(text.waiting(1)).waitFor()
    await button(page, text.add).click()
    await page.getByLabel(inboxText.keeping.newAlbumName).fill('Shared')
    await button(page, text.submit(1)).click()
    await page.getByText(albumsText.uploads.allDone(1)).waitFor()
    await second.getByText(text.waiting(1)).waitFor({ state: 'detached' })

    await share(sharing, elsewhere, [shared('old', 10)])
    await page.getByText(text.waiting(1)).waitFor()
    const tomorrow = await context.newPage()
    await tomorrow.addInitScript((hours) => {
      const { now } = Date
      Date.now = () => now() + hours * 3_600_000
    }, MAX_TAKEN_HOURS + 1)
    await tomorrow.goto(world.url)
    await page.getByText(text.waiting(1)).waitFor({ state: 'detached' })
    assert.equal(await storedIn(page), 0)
    await tomorrow.close()

    const many = Array.from({ length: MAX_TAKEN_FILES }, (_, index) => shared(`${index}`, 1))
    await share(sharing, elsewhere, many)
    await page.getByText(text.waiting(MAX_TAKEN_FILES)).waitFor()
    await share(sharing, elsewhere, [shared('more', 1)])
    await sharing.waitForURL(/taken=many/)
    assert.equal(await storedIn(page), MAX_TAKEN_FILES)
    await signIn(sharing, person)
    await sharing.getByText(text.faults.many(MAX_TAKEN_FILES)).waitFor()
    await assertAccessible(sharing)
    await button(page, shellText.signOut).click()
    await page.getByText(shellText.busy.taken).waitFor()
    await button(page, shellText.busy.leave).click()
    await page.getByLabel(accountText.email).waitFor()
    assert.equal(await storedIn(page), 0)
    await sharing.getByText(text.waiting(MAX_TAKEN_FILES)).waitFor({ state: 'detached' })

    await share(page, elsewhere, [shared('after', 1)])
    await page.waitForURL(/taken=off/)
    assert.equal(await storedIn(page), 0, 'the worker stays, and takes nothing')
    assert.equal(posts(), postsBefore, 'no form reached the server')
  })

  it('are added if they were there when the owner said so, and stay with no account but the one that takes them', async (t) => {
    const { person, owner, page, context, elsewhere } = await begin(t, { withPassword: true })
    await owner.createAlbum({ name: 'Summer' })
    const other = await world.person()
    await turnOn(page)
    const sharing = await context.newPage()
    await share(sharing, elsewhere, [{ ...shared('own', 10), type: `x/${'long'.repeat(1_000)}` }])
    await page.getByText(text.waiting(1)).waitFor()
    await button(page, text.add).click()
    await button(page, text.submit(1)).waitFor()
    await share(sharing, elsewhere, [shared('of a hostile site', 10)])
    await page.getByText(text.waiting(2)).waitFor()
    await button(page, text.submit(1)).click()
    await untilStored(page, 1)
    assert.deepEqual([...(await keptBy(owner)).keys()], ['own'])
    await page.getByText(text.waiting(1)).waitFor()

    const second = await context.newPage()
    await second.goto(`${world.url}/#/account`)
    await signIn(second, other)
    await page.getByText(text.waiting(1)).waitFor({ state: 'detached' })
    await page.reload()
    await signIn(page, person)
    await turnOn(page)
    await share(sharing, elsewhere, [shared('of the first', 10)])
    await page.getByText(text.waiting(1)).waitFor()
    await turnOn(second)
    await page.getByText(text.waiting(1)).waitFor({ state: 'detached' })
    assert.equal(await storedIn(page), 0, 'the first account could not delete it any more')
  })

  it('stay on the device while the server says that it has them and gives no receipt', async (t) => {
    const { proxy, world: at } = behind
    const { owner, page, elsewhere } = await begin(t, { at })
    await owner.createAlbum({ name: 'Summer' })
    await turnOn(page, at)
    const only = shared('only copy', 5_000)
    await share(page, elsewhere, [only])
    let end = 0
    proxy.tamper({
      matches: ({ method, path }) => method === 'PATCH' && path.startsWith('/v1/upload/'),
      request: ({ headers, body }) => {
        end = Number(headers['x-service-offset']) + body.length
        return { headers: { ...headers, 'x-service-checksum': 'sha256:none' }, body }
      },
      answer: () => ({ status: 204, headers: { 'x-service-offset': String(end) }, body: Buffer.alloc(0) }),
    })
    await button(page, text.add).click()
    await button(page, text.submit(1)).click()
    await page.locator('.upload.failed, .upload.done').filter({ hasText: only.name }).waitFor()
    assert.equal(await storedIn(page), 1, 'the only copy is deleted, and the server has nothing')
    assert.equal((await keptBy(owner, at)).size, 0)

    proxy.tamper()
    await page.getByRole('button', { name: albumsText.uploads.retry(only.name) }).click()
    await untilStored(page, 0)
    assert.deepEqual(await keptBy(owner, at), contentsOf([only]))
  })

  it('are refused by the server where the browser has lost the worker, which the installed app brings back', async (t) => {
    const { page, context, elsewhere, postsBefore } = await begin(t, { expected: [/405 for .*\/take\//] })
    const lost = shared('plain.bin', 200_000)
    await share(page, elsewhere, [lost])
    await page.getByText('nothing of them was stored').waitFor()
    // The line of the log may follow the answer. A browser sends a form again whose connection ended before one.
    await until(() => posts() > postsBefore, 'the line of the refused share', MAX_WAIT_MS)
    for (const path of await filesBelow(world.server.dataDir))
      assert.ok(!(await readFile(path)).includes(lost.bytes.subarray(0, 32)), path)

    // DevTools do not emulate an installed app.
    await context.addInitScript(() => {
      const { matchMedia } = globalThis
      globalThis.matchMedia = (query) => matchMedia(query === '(display-mode: standalone)' ? 'all' : query)
    })
    await page.goto(`${world.url}/#/inbox`)
    await until(
      () =>
        page.evaluate(
          async () => (await navigator.serviceWorker.getRegistration('./take/'))?.active?.state === 'activated',
        ),
      'the worker is back',
      MAX_WAIT_MS,
    )
    const refused = posts()
    await share(page, elsewhere, [lost])
    await page.getByText(text.faults.off).waitFor()
    await turnOn(page)
    await context
      .serviceWorkers()
      .at(-1)
      ?.evaluate(() => {
        const { put } = IDBObjectStore.prototype
        // The quota of a context without a profile cannot be set: the browser says that the second file is too much.
        IDBObjectStore.prototype.put = function (value: { readonly file: File }) {
          if (value.file.size > 100_000) throw new DOMException('full', 'QuotaExceededError')
          return put.call(this, value)
        }
      })
    await share(page, elsewhere, [shared('small', 10), lost])
    await page.getByText(text.faults.full).waitFor()
    assert.equal(await storedIn(page), 0, 'all of a share, or none of it')
    assert.equal(posts(), refused)
  })
})

async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  assert.ok(paths.length > 0)
  return paths
}
