/** Pages from this machine (`blindkeep pages serve` and `open`), in a real browser. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { checkFile, checkSigned, readProofs } from '@blindkeep/client/fileProof'
import { nodeEnvironment } from '@blindkeep/client/node'
import { parsePublishedKeys } from '@blindkeep/client/receipts'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { changeBody, isRequest } from '../../../testing/maliciousServer.ts'
import { sendFile } from '../../../testing/people.ts'
import { until } from '../../../testing/until.ts'
import { openPages, type ServedPages, servePages } from '../../cli/src/testing/servedPages.ts'
import { openWorld } from '../../cli/src/testing/world.ts'
import { account } from '../src/text/en/account.ts'
import { albums } from '../src/text/en/albums.ts'
import { guest } from '../src/text/en/guest.ts'
import { inbox } from '../src/text/en/inbox.ts'
import { links } from '../src/text/en/links.ts'
import { local } from '../src/text/en/local.ts'
import { owner as ownerTexts } from '../src/text/en/owner.ts'
import { problems } from '../src/text/en/problems.ts'
import { proof as proofTexts } from '../src/text/en/proof.ts'
import { share as shareTexts } from '../src/text/en/share.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser, type Visit } from './browser.ts'
import { giveFiles } from './giveFiles.ts'
import { allArrived, button, choose, contentOf, MIB, sendChosen, someFile } from './guestPage.ts'
import { savedBy } from './saved.ts'

const browser = useBrowser()
const world = await openWorld()
const owner = await world.signUp('ada')

async function serve(t: TestContext): Promise<ServedPages> {
  const served = await servePages(world, 'ada')
  t.after(() => served.end('SIGKILL'))
  return served
}

async function opened(t: TestContext, served: ServedPages): Promise<Visit> {
  const visit = await browser.open(t, { url: `${served.origin}/` })
  await paired(visit, served)
  return visit
}

async function paired(visit: Visit, served: ServedPages): Promise<void> {
  await typeCode(visit, served)
  await visit.page.getByRole('link', { name: 'Inbox' }).waitFor()
}

async function typeCode({ page }: Visit, served: ServedPages): Promise<void> {
  const { code } = await served.fact()
  await page.getByLabel(local.code).fill(code)
  await button(page, local.pair).click()
}

/** What the browser has stored for the origin of this page. */
const storedBy = (page: Page) =>
  page.evaluate(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: await indexedDB.databases(),
    history: JSON.stringify(history.state),
  }))

/** What a page of a later release might leave there. */
const store = (page: Page) =>
  page.evaluate(async () => {
    localStorage.left = 'x'
    const opening = indexedDB.open('left')
    await new Promise((resolve) => {
      opening.onsuccess = resolve
    })
    opening.result.close()
  })

/** Opens the page of an address of others, and watches what it asks for. */
async function openedOfOthers(t: TestContext, address: string, expected: readonly RegExp[] = []) {
  const served = await openPages(world, address, { env: { BLINDKEEP_HOME: join(world.root, 'guest') } })
  t.after(() => served.end('SIGKILL'))
  const visit = await browser.open(t, { url: `${served.origin}/`, expected })
  const urls: string[] = []
  visit.context.on('request', (request) => urls.push(request.url()))
  await visit.page.getByLabel(local.code).waitFor()
  await assertAccessible(visit.page)
  await typeCode(visit, served)
  return { ...visit, served, urls }
}

/** What a page of another origin gets of all that it can ask of the local one. */
async function askedByAnotherOrigin(t: TestContext, served: ServedPages): Promise<readonly string[]> {
  // A page of loopback, too: of others Chromium refuses the request by itself.
  const site = createServer((_, reply) => reply.setHeader('Content-Type', 'text/html').end('<p>another page'))
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.after(() => site.close())
  const url = `http://127.0.0.1:${Object(site.address()).port}/`
  const { page } = await browser.open(t, { url, leadsTo: [served.origin], expected: [/./] })
  return await page.evaluate(async (origin) => {
    const outcomes: string[] = []
    for (const mode of ['cors', 'no-cors'] as const)
      for (const path of ['/local.json', '/local/code', '/local/pair', '/v1/quota'])
        for (const method of ['GET', 'POST'])
          outcomes.push(
            await fetch(origin + path, { method, mode }).then(
              ({ type }) => type,
              () => 'refused',
            ),
          )
    outcomes.push(
      await fetch(`${origin}/v1/quota`, { headers: { 'X-Local-Token': 'x' } }).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    return [...new Set(outcomes)]
  }, served.origin)
}

describe('local pages', () => {
  it('make links of the server, show what guests send, and keep it with the device of the command line', async (t) => {
    const served = await serve(t)
    const visit = await opened(t, served)
    const { page } = visit
    await page.getByRole('link', { name: 'Links' }).click()
    await button(page, links.createFirst).click()
    await button(page, links.form.submit).click()
    await button(page, links.ready.copy).click()
    await button(page, links.ready.copied).waitFor()
    const link = await page.locator('dialog').getByText(`${world.proxy.url}/u/`).first().textContent()
    assert.ok(link?.startsWith(`${world.proxy.url}/u/`), link ?? 'no link')
    await button(page, links.ready.done).click()
    await page.getByText(local.guests).waitFor()

    const [own] = await owner.listLinks()
    await sendFile(own?.url ?? '', new Uint8Array(randomBytes(2_000_000)), { name: 'scan.bin' })
    await page.getByRole('link', { name: 'Inbox' }).click()
    const row = page.locator('.drop').filter({ hasText: 'scan.bin' })
    await row.getByRole('button', { name: /^Keep/ }).click()
    await page.getByLabel(inbox.keeping.newAlbumName).fill('Scans')
    await button(page, inbox.keeping.submit(1)).click()
    await page.getByRole('link', { name: inbox.keeping.toAlbum }).click()
    await page.getByRole('heading', { name: 'Scans', level: 1 }).waitFor()
    assert.equal((await owner.devices()).length, 1)

    // Its receipts are of the server, and their keys are those that the command line knows.
    await page.getByRole('link', { name: 'Storage' }).click()
    await button(page, 'Check now').click()
    await page.getByText('every byte was read and is correct').first().waitFor()

    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByRole('heading', { name: local.account.title }).waitFor()
    assert.equal(await page.locator('input[type=password]').count(), 0)
    for (const { title } of [account.changePassword, account.passkeys, account.factor, account.recovery, account.leave])
      assert.equal(await page.getByRole('heading', { name: title, exact: true }).count(), 0)
    assert.deepEqual(await page.evaluate(async () => await indexedDB.databases()), [])
    assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0)
  })

  it('ask for the code, whatever another page has asked, and close when the program ends: nothing is asked for there again', async (t) => {
    const served = await serve(t)
    assert.deepEqual(await askedByAnotherOrigin(t, served), ['refused'])
    const visit = await browser.open(t, { url: `${served.origin}/` })
    const { page } = visit
    await page.getByLabel(local.code).fill('1')
    await assertAccessible(page)
    await button(page, local.pair).click()
    await page.getByText(local.codeWrong(2)).waitFor()
    // The first code that the program has printed.
    await paired(visit, served)
    await store(page)
    assert.equal(await served.end('SIGTERM'), 0)
    await page.getByText(local.closedExplain).waitFor()
    await until(async () => {
      const { local: kept, databases } = await storedBy(page)
      return Object.keys(kept).length === 0 && databases.length === 0
    })
    await assertAccessible(page)
    assert.equal(await page.getByRole('link', { name: 'Inbox' }).count(), 0)
  })

  it('close although the server has ended their stream of events, and before they have paired', async (t) => {
    const served = await serve(t)
    world.proxy.tamper({ matches: isRequest('GET', /^\/v1\/events/), instead: 404 })
    t.after(() => world.proxy.tamper())
    const visit = await browser.open(t, { url: `${served.origin}/` })
    await paired(visit, served)
    const unpaired = await visit.context.newPage()
    await unpaired.goto(`${served.origin}/`)
    await served.fact()
    await served.end('SIGKILL')
    for (const page of [visit.page, unpaired]) await page.getByText(local.closedExplain).waitFor()
  })

  it('go on when their stream breaks, after a sign-out, and in three tabs that upload, until the program is killed', async (t) => {
    const served = await serve(t)
    const isEvents = isRequest('GET', /^\/v1\/events/)
    const asked = () => world.proxy.seen.filter(isEvents).length
    const before = asked()
    world.proxy.tamper({ matches: isEvents, cut: { afterBytes: 1 }, times: 1 })
    t.after(() => world.proxy.tamper())
    const visit = await opened(t, served)
    await until(() => asked() === before + 2)
    await visit.page.getByTitle(ownerTexts.liveLong).waitFor()

    // A sign-out leaves the session to the command line.
    await button(visit.page, 'Sign out').click()
    await paired(visit, served)
    assert.equal((await world.run(['whoami', '--profile', 'ada'])).status, 0)

    // Live, and with two uploads each, over the six connections of a browser.
    const { albumId } = await owner.createAlbum({ name: 'Three tabs' })
    const tabs = [visit.page, await visit.context.newPage(), await visit.context.newPage()]
    for (const [index, page] of tabs.entries()) {
      if (index > 0) {
        await page.goto(`${served.origin}/`)
        await paired({ ...visit, page }, served)
      }
      await page.getByTitle(ownerTexts.liveLong).waitFor()
      await page.goto(`${served.origin}/#/albums/${albumId}`)
      await page.getByRole('heading', { name: 'Three tabs', level: 1 }).waitFor()
    }
    const input = (page: Page) => page.locator('input[type=file]').first()
    await Promise.all(
      tabs.map(async (page, index) => {
        const files = ['a', 'b'].map((name) => someFile(`${name}${index}.bin`, 3 * MIB))
        await giveFiles(input(page), files)
        for (const { name } of files) await page.locator('.tile').filter({ hasText: name }).waitFor()
      }),
    )
    // Each tab has heard of the others' files.
    for (const page of tabs) await until(async () => (await page.locator('.tile').count()) === 6)

    // No upload can continue after a reload: they store none.
    world.proxy.tamper({ matches: isRequest('PATCH', /^\/v1\/upload\//), cut: { afterBytes: 1 } })
    await giveFiles(input(visit.page), someFile('unfinished.bin', 3 * MIB))
    await visit.page.getByText(albums.uploads.leave).waitFor()
    assert.equal(await visit.page.getByText(albums.uploads.afterReload).count(), 0)
    await served.end('SIGKILL')
    for (const page of tabs) await page.getByText(local.closedExplain).waitFor()
  })

  it('notice after a restart that the server shows an older list', async (t) => {
    const { albumId: album } = await owner.createAlbum({ name: 'Rolled back' })
    const first = await serve(t)
    const before = await opened(t, first)
    await before.page.getByRole('link', { name: 'Albums' }).click()
    await before.page.getByText('Rolled back').first().waitFor()
    await until(
      async () => (await first.ask('/local/seen', { token: (await first.pair()).token })).body.seen?.changeSeq > 0,
    )
    await first.end('SIGTERM')
    await before.page.getByText(local.closedExplain).waitFor()

    world.proxy.tamper({
      matches: isRequest('GET', /^\/v1\/sync/),
      answer: changeBody((body) => void Object.assign(body, { entries: [] })),
    })
    const second = await serve(t)
    const after = await opened(t, second)
    await after.page.goto(`${second.origin}/#/albums/${album}`)
    await after.page.getByText(problems.rolledBack).waitFor()
    world.proxy.tamper()
  })
})

describe('a local page of a link or share of others', () => {
  it('sends a guest’s files with receipts and proofs of the server, and keeps nothing of the link', async (t) => {
    const { url, opaqueId } = await owner.createLink({ title: 'Papers' })
    const [, key = ''] = url.split('#')
    const { page, served, urls } = await openedOfOthers(t, url)
    await page.getByText(local.nothingKept).waitFor()
    await page.getByText('Papers').waitFor()
    await page.setViewportSize({ width: 320, height: 700 })
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320)
    await assertAccessible(page)
    await page.getByText(guest.message.optional).waitFor()
    assert.equal(await page.getByText(guest.message.remembered).count(), 0)
    const sent = someFile('contract.pdf', 3 * MIB)
    await choose(page, sent)
    await sendChosen(page)
    await allArrived(page)
    assert.deepEqual(await contentOf(owner, 'contract.pdf'), sent.buffer)
    // Nothing stays listed after a reload, so there is nothing to forget.
    assert.equal(await page.getByText(guest.forget.hint).count(), 0)

    const receipt = await savedBy(page, () => button(page, guest.receipt.saveAll(1)).click())
    assert.equal(JSON.parse(Buffer.from(receipt.bytes).toString()).server_id, world.proxy.url)
    await button(page, guest.receipt.proofs).click()
    await page.getByRole('dialog', { name: proofTexts.title }).getByText(proofTexts.reads(1)).waitFor()
    const saved = await savedBy(page, () => button(page, proofTexts.save(1)).click())
    const published = await fetch(`${world.proxy.url}/.well-known/service/attestation-keys`)
    const keys = await parsePublishedKeys(await published.json())
    for await (const proof of readProofs(new Blob([Buffer.from(saved.bytes)]).stream())) {
      const signed = await checkSigned(proof, { keys, serverId: world.proxy.url })
      await checkFile({ proof, signed, environment: nodeEnvironment, source: sourceOfBytes(sent.buffer) })
    }

    assert.equal(page.url(), `${served.origin}/`)
    assert.deepEqual(await storedBy(page), { local: {}, session: {}, databases: [], history: 'null' })
    assert.ok(urls.some((each) => each.startsWith(`${served.origin}/d/${opaqueId}`)))
    for (const each of urls) assert.ok(each.startsWith(`${served.origin}/`) && !each.includes(key), each)
    // The program has kept the keys that the page has seen, for the next time.
    assert.equal(
      (await served.ask('/local/seen', { token: (await served.pair()).token })).body.pins.serverId,
      world.proxy.url,
    )

    await choose(page, someFile('unsent.pdf', 1000))
    await served.end('SIGTERM')
    await page.getByText(local.closedExplain).waitFor()
    assert.equal(await page.getByText('contract.pdf').count(), 0)
  })

  it('does not say that an upload can continue after the page has broken: it stores none', async (t) => {
    const { url } = await owner.createLink({ title: 'Broken' })
    const { page } = await openedOfOthers(t, url, [/broken by a test/])
    await page.getByText('Broken').waitFor()
    await page.workers()[0]?.evaluate(() =>
      setTimeout(() => {
        throw new Error('broken by a test')
      }),
    )
    await page.getByText(guest.unsupported.brokenUnstored).waitFor()
    await assertAccessible(page)
  })

  it('shows and saves what is shared, with its passphrase, and previews it in its frame', async (t) => {
    const { albumId: album } = await owner.createAlbum({ name: 'To share' })
    const device = await owner.addDevice(undefined, { tie: false })
    const content = Buffer.from('One line.\n')
    const { assetId } = await owner.upload({ source: sourceOfBytes(content), album, device, name: 'lines.txt' })
    const passphrase = 'k7wm-p3xd-9qht-2vnc'
    const { url } = await owner.createShare([assetId], { passphrase })
    const [, key = ''] = url.split('#')
    const { page, served, urls } = await openedOfOthers(t, url)
    await page.getByLabel(shareTexts.asked.passphrase, { exact: true }).fill(passphrase)
    await button(page, shareTexts.asked.open).click()
    await page.getByText('lines.txt', { exact: true }).waitFor()
    const saved = await savedBy(page, () => button(page, 'Download lines.txt').click())
    assert.deepEqual(Buffer.from(saved.bytes), content)
    await button(page, shareTexts.showOf('lines.txt')).click()
    await page.frameLocator('iframe').getByText('One line.').waitFor()
    assert.equal(page.url(), `${served.origin}/`)
    for (const each of urls) assert.ok(each.startsWith(`${served.origin}/`) && !each.includes(key), each)
  })
})
