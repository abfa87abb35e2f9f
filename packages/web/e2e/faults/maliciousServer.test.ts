/** The owner's pages before a malicious server: no byte that the owner did not choose is used or signed. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { AssetFacts } from '@blindkeep/client/owner'
import { openShare } from '@blindkeep/client/share'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import {
  assetAnswer,
  type Body,
  blobAnswer,
  hashOf,
  pictureOf,
  servedBlob,
} from '../../../../testing/maliciousAssets.ts'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { type Keeper, sendFile } from '../../../../testing/people.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import { keyName } from '../../src/owner/ground/keyName.ts'
import { account as accountText } from '../../src/text/en/account.ts'
import { albums as text } from '../../src/text/en/albums.ts'
import { inbox as inboxText } from '../../src/text/en/inbox.ts'
import { problems } from '../../src/text/en/problems.ts'
import { shares as sharesText } from '../../src/text/en/shares.ts'
import { work as workText } from '../../src/text/en/work.ts'
import { assertAccessible } from '../axe.ts'
import { useBrowser, type Visit } from '../browser.ts'
import { pngOf } from '../pictures.ts'
import { savedBy } from '../saved.ts'
import { useWorldBehindProxy } from '../world.ts'

const browser = useBrowser()
const { world, proxy } = useWorldBehindProxy(async () => undefined)
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const utf8 = (content: string) => new TextEncoder().encode(content)

const CONTRACT = 'We agree on 100.'
const FORGERY = 'We agree on 1,000,000.'
/** The body and headers of a refusal. */
function problemOf(code: string, status: number) {
  const body = Buffer.from(JSON.stringify({ type: `/problems/${code}`, title: 'No', status, code }))
  return { headers: { 'content-type': 'application/problem+json' }, body }
}

/** How long a page that would act on a lie gets to do so. */
const ACTING_MS = 1_500

/** A guest's drop that waits in the inbox, with its sealed bytes. */
interface Pending {
  readonly facts: Body
  readonly hash: string
  readonly sealed: Buffer
  /** Plaintext bytes. */
  readonly size: number
}

interface Victim {
  readonly keeper: Keeper
  /** `contract.txt`, uploaded and signed by the owner's device. */
  readonly asset: AssetFacts
  /** Another guest's `contract.txt`, which the server wants the owner to take for the signed one. */
  readonly forgery: Pending
}

async function newVictim(): Promise<Victim> {
  const keeper = await world.keeper()
  const { owner, album, device } = keeper
  const { assetId } = await owner.upload({ source: sourceOfBytes(utf8(CONTRACT)), album, device, name: 'contract.txt' })
  const { url } = await owner.createLink({ label: 'Anyone' })
  return { keeper, asset: await owner.asset(assetId), forgery: await pending(keeper, url, FORGERY) }
}

async function pending({ owner }: Keeper, link: string, content: string): Promise<Pending> {
  const { landed } = await sendFile(link, utf8(content), { name: 'contract.txt', type: 'text/plain' })
  const drop = (await owner.inbox()).find(({ ciphertextHash }) => ciphertextHash === landed.ciphertextHash)
  assert.ok(drop)
  const answer = await fetch(`${world.server.url}/v1/drops/${drop.dropId}/content`, {
    headers: { Authorization: `Bearer ${owner.tokens().accessToken}` },
  })
  assert.equal(answer.status, 200)
  const { dropId, opaqueId, kemCt } = drop
  const facts = { drop_id: dropId, opaque_id: opaqueId, kem_ct: kemCt, received_at: '2026-01-01T00:00:00.000Z' }
  const sealed = Buffer.from(await answer.arrayBuffer())
  return { facts, hash: landed.ciphertextHash, sealed, size: utf8(content).length }
}

/** States that the asset is that drop, adopted and never signed. */
function asUnsigned({ facts, hash, sealed, size }: Pending): (asset: Body) => void {
  return (asset) => {
    asset.blobs = [{ role: 'original', hash, size: sealed.length }]
    const own = { key_mode: 'wrapped', ciphertext_hash: hash, original_blob_hash: hash, plaintext_size: size }
    asset.envelope = { ...Object(asset.envelope), ...own, blob_role: 'original', metadata_blob_hash: null }
    asset.drop = facts
  }
}

/** The same lie in the facts of one asset and in the list of all. */
function aboutAsset(assetId: string, change: (asset: Body) => void): readonly Tampering[] {
  const listed = changeBody((body) => {
    assert.ok(Array.isArray(body.entries))
    for (const entry of body.entries) if (entry.asset_id === assetId && entry.asset !== undefined) change(entry.asset)
  })
  return [
    {
      matches: (exchange) => assetAnswer(exchange) && exchange.path.endsWith(assetId),
      answer: (message) => (message.body.includes('"envelope"') ? changeBody(change)(message) : message),
    },
    { matches: isRequest('GET', /^\/v1\/sync/), answer: listed },
  ]
}

/** What leaves the page: downloads, requests that declare signed blobs, and the forgery in a frame. */
function watchActs({ page }: Visit) {
  const downloads: string[] = []
  const declared: string[] = []
  page.on('download', (download) => void downloads.push(download.suggestedFilename()))
  page.on('request', (request) => {
    if (request.method() === 'POST') declared.push(request.postData() ?? '')
  })
  return {
    /** `isDownloaded`: the owner has saved the right file. */
    async assertNone(hash: string, { isDownloaded = false } = {}): Promise<void> {
      await page.waitForTimeout(ACTING_MS)
      if (!isDownloaded) assert.deepEqual(downloads, [], 'saved')
      assert.ok(!declared.some((body) => body.includes(hash)), 'signed or shared')
      for (const frame of page.frames()) assert.ok(!(await frame.content()).includes(FORGERY), 'shown')
    },
  }
}

const openAssetPage = (t: TestContext, { keeper, asset }: Victim) =>
  browser.open(t, { url: `${proxy.url}/#/albums/${keeper.album}/${asset.assetId}`, signedInAs: keeper.owner })

/** Without the file picker, which a test cannot answer. */
async function download(page: Page): Promise<void> {
  await page.evaluate(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
  await button(page, text.asset.download).click()
}

describe('the page of an asset, with a malicious server', () => {
  it('offers to reload a file that was replaced, and downloads, shows and shares what it has shown when the server withholds the signature afterwards', async (t) => {
    const victim = await newVictim()
    const { asset, forgery } = victim
    const visit = await openAssetPage(t, victim)
    const { page } = visit
    await page.getByText(text.asset.signedBy).waitFor()
    await page.getByRole('heading', { name: 'contract.txt', level: 1 }).waitFor()
    // Another device has replaced it after the page showed it.
    proxy.tamper({
      matches: blobAnswer(hashOf(asset, 'original')),
      answer: (message) => ({ ...message, status: 404, ...problemOf('error.blob.not_found', 404) }),
    })
    await button(page, text.asset.show).click()
    await page.getByText(text.trust.changed).first().waitFor()
    await assertAccessible(page)
    proxy.tamper()
    await button(page, text.trust.reload).click()
    await page.getByText(text.trust.changed).first().waitFor({ state: 'detached' })
    await page.getByText(text.asset.signedBy).waitFor()

    const acts = watchActs(visit)
    proxy.tamper(...aboutAsset(asset.assetId, asUnsigned(forgery)), servedBlob(forgery.hash, forgery.sealed))
    const { name, bytes } = await savedBy(page, () => download(page))
    assert.deepEqual([name, Buffer.from(bytes).toString()], ['contract.txt', CONTRACT])
    await button(page, text.asset.show).click()
    await page.frameLocator('iframe.preview').getByText(CONTRACT).waitFor()
    await button(page, text.asset.share).click()
    await button(page, sharesText.create.submit).click()
    const url = await page.getByLabel(sharesText.made.address, { exact: true }).inputValue()
    const [shared] = (await openShare(url)).assets
    assert.ok(shared)
    assert.equal(await new Response(await shared.open()).text(), CONTRACT)
    await acts.assertNone(forgery.hash, { isDownloaded: true })
  })

  it('downloads, shows and shares nothing unasked when the server never states a signature', async (t) => {
    const victim = await newVictim()
    const { asset, forgery } = victim
    const lie = asUnsigned(forgery)
    proxy.tamper(
      ...aboutAsset(asset.assetId, (body) => {
        lie(body)
        body.complete = true
      }),
      servedBlob(forgery.hash, forgery.sealed),
    )
    const visit = await openAssetPage(t, victim)
    const { page } = visit
    const acts = watchActs(visit)
    await page.getByText(text.trust.unsignedReason).first().waitFor()
    await assertAccessible(page)
    assert.equal(await page.getByText('contract.txt').count(), 0, 'the name of the drop is not taken for the file’s')
    for (const act of ['download', 'preview'] as const) {
      if (act === 'download') await download(page)
      else await button(page, text.asset.show).click()
      await page.getByRole('heading', { name: text.consent.title[act](1) }).waitFor()
      await assertAccessible(page)
      await acts.assertNone(forgery.hash)
      await page.keyboard.press('Escape')
      await acts.assertNone(forgery.hash)
    }
    assert.equal(await button(page, text.asset.share).count(), 0)
    assert.equal(await page.getByText(text.asset.signedBy).count(), 0)
    const { name } = await savedBy(page, async () => {
      await download(page)
      await button(page, text.consent.confirm.download).click()
    })
    assert.equal(name, text.trust.name(asset.assetId.slice(0, 8)), 'also with the owner’s consent')
  })

  it('signs nothing when the server states another drop for the asset whose adoption is finished', async (t) => {
    const victim = await newVictim()
    const { keeper, asset, forgery } = victim
    const lie = asUnsigned(forgery)
    proxy.tamper(
      ...aboutAsset(asset.assetId, (body) => {
        lie(body)
        body.complete = false
      }),
      servedBlob(forgery.hash, forgery.sealed),
    )
    const visit = await browser.open(t, { url: `${proxy.url}/#/albums/${keeper.album}`, signedInAs: keeper.owner })
    const acts = watchActs(visit)
    await button(visit.page, text.incomplete.review(1)).click()
    await acts.assertNone(forgery.hash)
  })
})

describe('an album, with a malicious server', () => {
  it('names, shows and shares no file without a signature, whatever the server says of complete', async (t) => {
    const victim = await newVictim()
    const { keeper, asset, forgery } = victim
    await keeper.owner.addThumbnail(pictureOf(asset), pngOf({ width: 64, height: 64 }))
    const withThumbnail = await keeper.owner.asset(asset.assetId)
    proxy.tamper(
      ...aboutAsset(asset.assetId, (body) => {
        body.blobs = withThumbnail.blobs.filter(({ role }) => role !== 'provenance')
        body.complete = true
      }),
    )
    const url = `${proxy.url}/#/albums/${keeper.album}`
    const visit = await browser.open(t, { url, signedInAs: keeper.owner, device: 'phone' })
    const { page } = visit
    const acts = watchActs(visit)
    const tile = page.locator('.tile')
    await tile.getByText(text.trust.unsignedReason).waitFor()
    await tile.getByText(text.album.unfinished, { exact: true }).waitFor()
    assert.equal(await page.getByText('contract.txt').count(), 0)
    assert.equal(await tile.locator('img').count(), 0, 'its thumbnail is not decoded')
    await assertAccessible(page)
    await tile.getByRole('checkbox').check()
    await button(page, text.selection.share).click()
    await page.getByText(text.trust.notShared(1)).waitFor()
    await button(page, text.selection.download).click()
    await page.getByRole('heading', { name: text.consent.title.download(1) }).waitFor()
    await acts.assertNone(forgery.hash)
  })

  it('says which files a revoked device has signed, also of a tile that was loaded before, and asks before it does anything with them', async (t) => {
    const { owner, album, device } = await world.keeper()
    const lost = await owner.addDevice(undefined, { tie: false })
    for (const [name, signer] of [
      ['live.txt', device],
      ['lost.txt', lost],
    ] as const)
      await owner.upload({ source: sourceOfBytes(utf8(name)), album, device: signer, name })
    const visit = await browser.open(t, { url: `${proxy.url}/#/albums/${album}`, signedInAs: owner })
    const { page } = visit
    const tile = (name: string) => page.locator('.tile').filter({ hasText: name })
    await tile('lost.txt').waitFor()
    assert.equal(await page.locator('.tile .badge').count(), 0)
    await page.goto(`${proxy.url}/#/account`)
    const row = page.getByRole('listitem').filter({ hasText: keyName(lost.deviceId) })
    await row.getByRole('button', { name: accountText.devices.revoke }).click()
    await page.getByRole('dialog').getByRole('button', { name: accountText.devices.revoke }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goto(`${proxy.url}/#/albums/${album}`)
    await tile('lost.txt').getByText(text.trust.revoked, { exact: true }).waitFor()
    await page.reload()
    await tile('live.txt').waitFor()
    await tile('lost.txt').getByText(text.trust.revoked, { exact: true }).waitFor()
    assert.equal(await tile('live.txt').locator('.badge').count(), 0)
    await assertAccessible(page)
    await tile('lost.txt').getByRole('link').click()
    await page.getByRole('heading', { name: 'lost.txt', level: 1 }).waitFor()
    await button(page, text.asset.share).click()
    await page.getByRole('heading', { name: text.consent.title.share(1) }).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await button(page, text.asset.show).click()
    await button(page, text.consent.confirm.preview).click()
    await page.frameLocator('iframe.preview').getByText('lost.txt').waitFor()
    const { name, bytes } = await savedBy(page, async () => {
      await download(page)
      await button(page, text.consent.confirm.download).click()
    })
    assert.deepEqual([name, Buffer.from(bytes).toString()], ['lost.txt', 'lost.txt'])
  })
})

describe('the inbox, with a malicious server', () => {
  it('signs nothing when the server first answers that the chosen drop is adopted and then names another one', async (t) => {
    const { keeper, asset, forgery } = await newVictim()
    const { url } = await keeper.owner.createLink({ label: 'Chosen' })
    const chosen = await pending(keeper, url, 'chosen')
    const stated = await statedAsset(keeper, asset)
    const visit = await browser.open(t, { url: `${proxy.url}/#/inbox`, signedInAs: keeper.owner })
    const { page } = visit
    const acts = watchActs(visit)
    let asked = 0
    proxy.tamper(
      {
        matches: (exchange) => assetAnswer(exchange) && !exchange.path.endsWith(asset.assetId),
        answer: (message) => {
          const body = { ...stated, asset_id: askedIds[asked], complete: false }
          asUnsigned(asked++ === 0 ? chosen : forgery)(body)
          return { ...message, status: 200, body: Buffer.from(JSON.stringify(body)) }
        },
      },
      servedBlob(forgery.hash, forgery.sealed),
    )
    const askedIds: string[] = []
    page.on('request', (request) => {
      const [, id] = /\/v1\/assets\/([^/]+)$/.exec(new URL(request.url()).pathname) ?? []
      if (id !== undefined) askedIds.push(id)
    })
    const row = page.locator('.drop').filter({ hasText: 'Chosen' })
    await row.getByRole('button', { name: 'contract.txt', exact: true }).click()
    await button(page, inboxText.keepLong).click()
    // The page asks for an asset only when it tries again.
    const refusal = { status: 403, ...problemOf('error.account.suspended', 403) }
    await page.route(/\/adopt$/, (route) => route.fulfill(refusal), { times: 1 })
    await button(page, inboxText.keeping.submit(1)).click()
    await button(page, workText.retry).click()
    await acts.assertNone(forgery.hash)
    assert.ok(asked > 0, 'the server has lied')
  })
})

/** The server's answer about the asset. */
async function statedAsset({ owner }: Keeper, { assetId }: AssetFacts): Promise<Body> {
  const answer = await fetch(`${world.server.url}/v1/assets/${assetId}`, {
    headers: { Authorization: `Bearer ${owner.tokens().accessToken}` },
  })
  return Object(await answer.json())
}

describe('the list of files, with a malicious server', () => {
  it('is refused in another tab when it ends before what the browser has seen, until the owner accepts it', async (t) => {
    const { keeper, asset } = await newVictim()
    const source = sourceOfBytes(utf8('new'))
    await keeper.owner.upload({ source, album: keeper.album, device: keeper.device, name: 'new.txt' })
    const url = `${proxy.url}/#/albums/${keeper.album}`
    const first = await browser.open(t, { url, signedInAs: keeper.owner })
    await first.page.getByText('new.txt').first().waitFor()
    await first.page.close()
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/sync/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.entries))
        body.entries = body.entries.filter(({ asset_id }) => asset_id === asset.assetId)
      }),
    })
    // A reload would also read what only the tab has kept.
    const page = await first.context.newPage()
    await page.goto(url)
    await page.getByText(problems.rolledBack).waitFor()
    assert.equal(await page.getByText('contract.txt').count(), 0)
    await assertAccessible(page)
    await button(page, problems.acceptRollback).click()
    await page.getByText('contract.txt').first().waitFor()
  })
})
