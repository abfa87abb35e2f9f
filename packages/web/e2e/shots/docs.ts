import type { Page } from 'playwright-core'
import { openedDrops, sendFile } from '../../../../testing/people.ts'
import { guest } from '../../src/text/en/guest.ts'
import { inbox } from '../../src/text/en/inbox.ts'
import { links } from '../../src/text/en/links.ts'
import { storage } from '../../src/text/en/storage.ts'
import { button, choose, MIB, sendChosen, someFile } from '../guestPage.ts'
import { pngOf } from '../pictures.ts'
import type { Begin, Shot } from '../shots.ts'
import type { World } from '../world.ts'

const LABEL = 'Photos of the wedding'
const SUNSET = pngOf({ width: 900, height: 180, from: [56, 66, 130], to: [250, 180, 120] })
const COPY = { name: 'At the lake.png', mimeType: 'image/png', buffer: Buffer.from(SUNSET) }

/** The pictures of the documents (`npm run screenshots -- --docs docs/pictures`). */
export const docsShots: readonly Shot[] = [
  { name: 'guest', begin: (world) => world.link({ caps: { maxTotalBytes: 10e9 } }), reach: sendFilm },
  { name: 'owner', begin: beginInbox, reach: (page) => button(page, 'At the lake.png').waitFor() },
  { name: 'inbox', begin: beginInbox, reach: openDrop },
  { name: 'link', begin: beginLinks, reach: createLink },
  { name: 'storage', begin: beginStorage, reach: compareCopy },
]

/** One file has arrived and a large one is on its way. */
async function sendFilm(page: Page, world: World): Promise<void> {
  await choose(page, [someFile('In front of the church.jpg', 900_000), someFile('First dance.mp4', 24 * MIB)])
  await page.getByLabel(guest.message.note, { exact: true }).fill('From our table. The film is the best part!')
  await page.getByLabel(guest.message.sender).fill('Anna')
  world.line.slow({ upBytesPerSecond: 3_000_000 })
  await sendChosen(page)
  await page.getByText(guest.progress.landed(1, 2), { exact: true }).waitFor()
  await page.getByText(/^Sending, [5-9]/).waitFor()
  await page.evaluate(() => scrollTo(0, 0))
}

async function beginInbox(world: World): Promise<Begin> {
  const { owner } = await world.keeper()
  const { url } = await owner.createLink({ label: LABEL })
  await sendFile(url, new Uint8Array(140_000), { name: 'Speech.pdf', type: 'application/pdf', sender: 'Gustav' })
  await sendFile(url, SUNSET, {
    name: 'At the lake.png',
    type: 'image/png',
    sender: 'Anna',
    note: 'The one that you asked for. I have more of them.',
    modifiedAt: '2026-06-20T18:40:00Z',
  })
  return { url: `${world.url}/#/inbox`, signedInAs: owner }
}

async function openDrop(page: Page): Promise<void> {
  await button(page, 'At the lake.png').click()
  await button(page, inbox.details.preview).click()
  await page.frameLocator('iframe.preview').locator('img').waitFor()
}

async function beginLinks(world: World): Promise<Begin> {
  return { url: `${world.url}/#/links`, signedInAs: await world.owner() }
}

async function createLink(page: Page): Promise<void> {
  await button(page, links.createFirst).click()
  await page.getByLabel(links.form.label).fill(LABEL)
  await button(page, links.form.submit).click()
  await page.getByRole('img', { name: links.ready.qr }).waitFor()
}

async function beginStorage(world: World): Promise<Begin> {
  const { owner, album, device } = await world.keeper()
  const { url } = await owner.createLink({ label: LABEL })
  await sendFile(url, SUNSET, { name: COPY.name })
  for (const drop of await openedDrops(owner)) await owner.adoptDrop(drop, { album, device })
  return { url: `${world.url}/#/storage`, signedInAs: owner }
}

async function compareCopy(page: Page): Promise<void> {
  const region = page.getByRole('region', { name: storage.compare.heading })
  await region.locator('input[type=file]').first().setInputFiles(COPY)
  await page.getByRole('heading', { name: storage.compare.yesHeading(1) }).waitFor()
  // The header of the page covers its first pixels.
  await region.evaluate((element) => scrollTo(0, element.getBoundingClientRect().top + scrollY - 70))
}
