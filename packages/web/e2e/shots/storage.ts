import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { hashOf } from '../../../../testing/maliciousAssets.ts'
import { openedDrops, sendFile } from '../../../../testing/people.ts'
import type { Begin, Shot } from '../shots.ts'
import type { World } from '../world.ts'

const NAMES = ['Summer at the lake.jpg', 'Contract 2026 (signed, final).pdf', 'Notes.txt', 'Grandmother’s recipes.docx']
const CONTENTS = NAMES.map((_, index) => new Uint8Array(randomBytes(60_000 * (index + 1))))

/** The storage page after checks and comparisons that went well and badly, with receipts, and with a full storage. */
export const storageShots: readonly Shot[] = [
  { name: 'storage/all-held', begin: (world) => begin(world, false), reach: check },
  { name: 'storage/inbox', begin: beginInbox, reach: check },
  { name: 'storage/sample', begin: (world) => begin(world, false), reach: sample },
  { name: 'storage/sample-bad', begin: (world) => begin(world, true), reach: sample },
  { name: 'storage/problems', begin: (world) => begin(world, true), reach: check },
  { name: 'storage/copies-yes', begin: (world) => begin(world, false), reach: (page) => compare(page, []) },
  { name: 'storage/copies-no', begin: (world) => begin(world, true), reach: (page) => compare(page, ['Diary.txt']) },
  {
    name: 'storage/receipts',
    begin: (world) => begin(world, false),
    async reach(page) {
      await check(page)
      await page
        .getByRole('button', { name: /^Receipts of/ })
        .first()
        .click()
      await page.locator('.receipt').first().waitFor()
    },
  },
  { name: 'storage/full', begin: beginFull, reach: (page) => page.locator('.meter').waitFor() },
]

/** Some files in albums, and one of two in the inbox withheld. */
export async function beginInbox(world: World): Promise<Begin> {
  const { signedInAs, url } = await begin(world, false)
  if (signedInAs === undefined) throw new Error('no owner is signed in')
  const link = await signedInAs.createLink({ label: 'Office' })
  for (const name of ['Offer.pdf', 'Plan.pdf']) await sendFile(link.url, new Uint8Array(randomBytes(5000)), { name })
  const [first] = await openedDrops(signedInAs)
  await world.server.command(['hold', 'add', first?.ciphertextHash ?? '', '--reason', 'a picture'])
  return { signedInAs, url }
}

async function begin(world: World, isDamaged: boolean): Promise<Begin> {
  const { owner, album, device } = await world.keeper()
  const kept = []
  for (const [index, name] of NAMES.entries()) {
    const source = sourceOfBytes(CONTENTS[index] ?? new Uint8Array())
    const { assetId } = await owner.upload({ source, album, device, name })
    kept.push(await owner.asset(assetId))
  }
  const { url } = await owner.createLink()
  await sendFile(url, randomBytes(9_000), { name: 'From a guest.png' })
  for (const drop of await openedDrops(owner)) await owner.adoptDrop(drop, { album, device })
  const [first, second] = kept
  if (isDamaged && first !== undefined && second !== undefined) {
    const damaged = await blobFile(world, hashOf(first, 'original'))
    await writeFile(damaged, (await readFile(damaged)).reverse())
    await rm(await blobFile(world, hashOf(second, 'original')))
  }
  return { url: `${world.url}/#/storage`, signedInAs: owner }
}

async function blobFile({ server }: World, hash: string): Promise<string> {
  const directory = join(server.dataDir, 'blobs')
  const name = (await readdir(directory, { recursive: true })).find((one) => one.includes(hash))
  if (name === undefined) throw new Error('the blob is not on the disk')
  return join(directory, name)
}

async function beginFull(world: World): Promise<Begin> {
  const started = await begin(world, false)
  const account = started.signedInAs?.accountId ?? ''
  await world.server.command(['account', 'quota', account, '--soft', '100000', '--hard', '500000'])
  return started
}

async function check(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByRole('button', { name: 'Download report' }).waitFor()
}

async function sample(page: Page): Promise<void> {
  await page.locator('input[name=depth]').last().check()
  await check(page)
}

async function compare(page: Page, others: readonly string[]): Promise<void> {
  const copies = NAMES.map((name, index) => ({ name, mimeType: '', buffer: Buffer.from(CONTENTS[index] ?? []) }))
  const unknown = others.map((name) => ({ name, mimeType: '', buffer: Buffer.from(name) }))
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([...copies, ...unknown])
  await page.locator('.verdict').waitFor()
}
