/** The storage page with a server that has lost files, and with a malicious one. */
import assert from 'node:assert/strict'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type BehindProxy, startBehindProxy } from '../../../../testing/behindProxy.ts'
import {
  type Body,
  changedReceipts,
  hashOf,
  keysAnswer,
  receiptsAnswer,
  verdictAnswer,
} from '../../../../testing/maliciousAssets.ts'
import { changeBody } from '../../../../testing/maliciousServer.ts'
import { type Keeper, newKeeper, sendFile } from '../../../../testing/people.ts'
import { assertAccessible } from '../axe.ts'
import { useBrowser } from '../browser.ts'
import { savedBy } from '../saved.ts'
import { button, bytesOf, type Content, check, keep, results, row } from '../storagePage.ts'
import { PAGES_DIRECTORY, useWorld } from '../world.ts'

const browser = useBrowser()
const world = useWorld()

const asCopy = (name: string, content: Uint8Array) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
})

async function compare(page: Page, copies: readonly ReturnType<typeof asCopy>[]): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([...copies])
  await page.locator('.verdict').waitFor()
}

/** The file on the server's disk with this hash. */
async function blobFile(dataDir: string, hash: string): Promise<string> {
  const directory = join(dataDir, 'blobs')
  const name = (await readdir(directory, { recursive: true })).find((one) => one.includes(hash))
  assert.ok(name !== undefined)
  return join(directory, name)
}

describe('a server that has lost, damaged or withheld files', () => {
  it('is detected: each file has its own result, and no copy of it may be deleted', async (t) => {
    const keeper = await world.keeper()
    const contents = {
      photo: bytesOf(40_000),
      contract: bytesOf(50_000),
      notes: bytesOf(60_000),
      letter: bytesOf(70_000),
    }
    const photo = await keep(keeper, 'photo.jpg', contents.photo)
    const contract = await keep(keeper, 'contract.pdf', contents.contract)
    const notes = await keep(keeper, 'notes.txt', contents.notes)
    const letter = await keep(keeper, 'letter.txt', contents.letter)
    const { page } = await browser.open(t, { url: `${world.url}/#/storage`, signedInAs: keeper.owner })

    await check(page)
    await results(page).getByText('All 4 files are stored: every byte was read and is correct.').waitFor()
    await results(page).getByText('Not because of this check alone.').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Links' }).click()
    await page.getByRole('heading', { name: 'Storage', level: 1 }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Storage' }).click()
    await results(page).getByText('All 4 files are stored').waitFor()

    await compare(page, [asCopy('renamed.jpg', contents.photo), asCopy('contract.pdf', contents.contract)])
    await page.getByRole('heading', { name: 'Yes: you may delete these 2 copies' }).waitFor()
    await row(page, 'renamed.jpg').getByText('photo.jpg').waitFor()
    await assertAccessible(page)
    await compareAltered(page, contents.photo)

    const { server } = world
    const photoFile = await blobFile(server.dataDir, hashOf(photo, 'original'))
    const damaged = await readFile(photoFile)
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
    await writeFile(photoFile, damaged)
    await rm(await blobFile(server.dataDir, hashOf(contract, 'original')))
    assert.equal((await server.command(['hold', 'add', hashOf(notes, 'original'), '--reason', 'a test'])).status, 0)

    await check(page)
    await results(page).getByText('3 of 4 files have a problem. Keep your own copies.').waitFor()
    await row(page, 'photo.jpg').getByText('Damaged', { exact: true }).waitFor()
    await row(page, 'contract.pdf').getByText('Not stored', { exact: true }).waitFor()
    await row(page, 'notes.txt').getByText('Withheld', { exact: true }).waitFor()
    await row(page, 'letter.txt').getByText('Stored: every byte was read and is correct').waitFor()
    await results(page).getByText('No. Keep every copy of the files with a problem.').waitFor()
    await assertAccessible(page)
    await button(page, 'Problems and not checked').click()
    assert.equal(await results(page).locator('.outcomes > li').count(), 3)
    await assertReports(page)

    await button(page, 'Clear').click()
    const copies = Object.entries(contents).map(([name, content]) => asCopy(name, content))
    await compare(page, copies)
    await page.getByRole('heading', { name: 'No: keep 3 of 4 copies' }).waitFor()
    await row(page, 'letter').getByText('You may delete this copy').waitFor()
    await assertAccessible(page)

    const asked = Promise.withResolvers<void>()
    await page.route('**/v1/sync*', (route) => asked.promise.then(() => route.continue()))
    await page.getByRole('link', { name: 'Links' }).click()
    await page.getByRole('heading', { name: 'Storage', level: 1 }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Storage' }).click()
    await page.getByText('No result yet.').waitFor()
    assert.equal(await page.getByText('You may delete this copy').count(), 0, 'a yes before later changes are known')
    asked.resolve()
    await row(page, 'letter').getByText('You may delete this copy').waitFor()
    await page.unroute('**/v1/sync*')

    await page.getByLabel('Quick: is the whole file there').check()
    await check(page)
    await results(page).getByText('Stored, but its bytes were not read').first().waitFor()
    assert.equal(await results(page).locator('.badge.good').count(), 0, 'green, although the bytes were not read')

    await keeper.owner.deleteAsset(letter.assetId)
    await row(page, 'letter').getByText('Compared before later changes').waitFor()
    await page.getByRole('heading', { name: 'No: keep all 4 copies' }).waitFor()
    await results(page).getByText('1 file has been deleted, moved or changed since this check.').waitFor()
    await assertAccessible(page)
    await compare(page, [asCopy('letter', contents.letter)])
    await row(page, 'letter').getByText('No stored file has this size').first().waitFor()
    assert.equal(await row(page, 'letter').getByText('You may delete this copy').count(), 0)
  })
})

describe('an inbox with damaged and withheld files', () => {
  it('is said to have them, there and on the storage page, also without a file in an album', async (t) => {
    const owner = await world.owner()
    const { url } = await world.link({ owner })
    for (const name of ['whole.txt', 'damaged.txt', 'held.txt']) await sendFile(url, bytesOf(9000), { name })
    const { server } = world
    const drops = await owner.inbox()
    const hashOfDrop = (name: string) =>
      drops.find(({ file }) => file?.name === name)?.ciphertextHash ?? assert.fail(name)
    const file = await blobFile(server.dataDir, hashOfDrop('damaged.txt'))
    const bytes = await readFile(file)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    await writeFile(file, bytes)
    await server.command(['scrub'])
    const hold = ['hold', 'add', hashOfDrop('held.txt'), '--reason', 'a test']
    assert.equal((await server.command(hold)).status, 0)

    const { page } = await browser.open(t, { url: `${world.url}/#/storage`, signedInAs: owner })
    await page.getByText('The inbox', { exact: true }).waitFor()
    await check(page)
    await results(page).getByText('2 of 3 files have a problem. Keep your own copies.').waitFor()
    await results(page).getByText('Inbox: 3 files, 1 damaged on the server, 1 withheld by the operator.').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Inbox' }).click()
    await page.getByText('1 file is damaged on the server. 1 file is withheld by the operator').waitFor()
    await page.getByText('The server’s copy is damaged').waitFor()
    await page.getByText('The operator of this server withholds this file').waitFor()
    assert.equal(await page.getByText(/files themselves/).count(), 0)
    await assertAccessible(page)
  })
})

/** One copy has a changed byte, and one was never stored. */
async function compareAltered(page: Page, content: Content): Promise<void> {
  await compare(page, [asCopy('altered.jpg', content.with(9, (content[9] ?? 0) ^ 1)), asCopy('never.txt', bytesOf(3))])
  await page.getByRole('heading', { name: 'No: keep 2 of 4 copies' }).waitFor()
  await row(page, 'altered.jpg').getByText('A different file').waitFor()
  await row(page, 'never.txt').getByText('No stored file has this size').waitFor()
}

async function assertReports(page: Page): Promise<void> {
  const text = await savedBy(page, () => button(page, 'Download report').click())
  const lines = new TextDecoder().decode(text.bytes)
  assert.match(text.name, /^storage-check-[\d-]+\.txt$/)
  assert.match(lines, /3 of 4 files have a problem/)
  assert.match(lines, /photo\.jpg\n {4}Damaged \(\d{4}-/)
  const json = await savedBy(page, () => button(page, 'Download as JSON').click())
  const report = JSON.parse(new TextDecoder().decode(json.bytes))
  assert.equal(report.summary, 'problems')
  assert.deepEqual(
    Object.fromEntries(report.files.map((file: { name: string; outcome: string }) => [file.name, file.outcome])),
    { 'photo.jpg': 'damaged', 'contract.pdf': 'not_held', 'notes.txt': 'withheld', 'letter.txt': 'held_deep' },
  )
}

describe('a malicious server', () => {
  let behind: BehindProxy
  let keeper: Keeper
  const content = bytesOf(30_000)
  before(async () => {
    // Each blob counts as 1 MiB at least, so this is enough for six small files and two thirds of a seventh.
    behind = await startBehindProxy({ PAGES_DIR: PAGES_DIRECTORY, DEEP_BYTES_PER_HOUR: String(20 * 1024 ** 2) })
    keeper = await newKeeper(behind.proxy.url)
    await keep(keeper, 'plan.pdf', content)
  })
  after(() => behind.stop())

  it('is asked for no more than it reads in an hour: the other files are not checked yet', async (t) => {
    const reader = await newKeeper(behind.proxy.url)
    for (let number = 1; number <= 8; number++) await keep(reader, `Bild ${number}.jpg`, bytesOf(100))
    const { page } = await browser.open(t, {
      url: `${behind.proxy.url}/#/storage`,
      signedInAs: reader.owner,
      device: 'phone',
      colorScheme: 'dark',
      locale: 'de-DE',
    })
    await button(page, 'Jetzt prüfen').click()
    await page
      .getByText('2 von 8 Dateien konnten noch nicht geprüft werden. Löschen Sie Ihre eigenen Kopien nicht.')
      .waitFor()
    await row(page, 'Bild 1.jpg').getByText('Noch nicht geprüft').waitFor()
    await row(page, 'Bild 8.jpg').getByText('Jedes Byte wurde gelesen').waitFor()
    // At the end of the page the bar at the bottom covers no control.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await assertAccessible(page)
    const asked = behind.proxy.seen.length
    await button(page, '2 Dateien prüfen, die noch nicht geprüft sind').click()
    await button(page, '2 Dateien prüfen, die noch nicht geprüft sind').waitFor()
    assert.equal(behind.proxy.seen.slice(asked).filter(receiptsAnswer).length, 2)
    await page.getByText('Noch nicht. Nicht alles konnte geprüft werden.').waitFor()
  })

  const lyingVerdict = (change: (blob: Body, verdict: Body) => void) => ({
    matches: verdictAnswer,
    answer: changeBody((body) => {
      assert.ok(Array.isArray(body.verdicts))
      for (const verdict of body.verdicts) for (const blob of verdict.blobs) change(blob, verdict)
    }),
  })

  it('is detected by its verdict, its receipts and its keys', async (t) => {
    const { proxy } = behind
    const { page } = await browser.open(t, { url: `${proxy.url}/#/storage`, signedInAs: keeper.owner })
    await page.getByText('remembers them from now on').waitFor()
    const tamperings = [
      [lyingVerdict((blob) => Object.assign(blob, { stored: false })), 'Contradiction', 'contradicts itself'],
      [lyingVerdict((blob) => delete blob.deep), 'Not read, although requested', 'did not'],
      [changedReceipts((receipts) => receipts.slice(1)), 'Contradiction', 'A receipt is missing'],
    ] as const
    for (const [tampering, title, why] of tamperings) {
      proxy.tamper(tampering)
      await check(page)
      await row(page, 'plan.pdf').getByText(title, { exact: true }).waitFor()
      await row(page, 'plan.pdf').getByText(why).first().waitFor()
      assert.equal(await results(page).locator('.good').count(), 0)
    }
    await button(page, /^Receipts of/).click()
    await page.getByRole('dialog').getByText('These receipts are not valid').waitFor()
    await assertAccessible(page)
    await button(page, 'Close').click()

    proxy.tamper(lyingVerdict((blob) => Object.assign(blob, { deep: 'rate_limited' })))
    await compare(page, [asCopy('plan.pdf', content)])
    await page.getByRole('heading', { name: 'No: keep this copy' }).waitFor()
    await assertAlarm(page)
  })

  /** The server's keys differ from the keys that this browser remembers. */
  async function assertAlarm(page: Page): Promise<void> {
    behind.proxy.tamper({
      matches: keysAnswer,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.keys))
        for (const key of body.keys) key.active_from = '2001-01-01T00:00:00Z'
      }),
    })
    await page.reload()
    await page.getByRole('alert').getByText('Warning: the server’s signing keys have changed').waitFor()
    await page.getByRole('alert').getByText('was changed on the server’s list').waitFor()
    await page.getByRole('alert').getByText('delete the data of this site').waitFor()
    await check(page)
    await row(page, 'plan.pdf').getByText('Contradiction', { exact: true }).waitFor({ state: 'detached' })
    await results(page).getByText('Contradiction', { exact: true }).waitFor()
    await compare(page, [asCopy('plan.pdf', content)])
    await page.getByRole('heading', { name: 'No: keep this copy' }).waitFor()
    await assertAccessible(page)
  }
})
