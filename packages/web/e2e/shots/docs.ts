import type { Page } from 'playwright-core'
import { openedDrops, sendFile } from '../../../../testing/people.ts'
import { guest as guestInGerman } from '../../src/text/de/guest.ts'
import { inbox as inboxInGerman } from '../../src/text/de/inbox.ts'
import { links as linksInGerman } from '../../src/text/de/links.ts'
import { storage as storageInGerman } from '../../src/text/de/storage.ts'
import { guest } from '../../src/text/en/guest.ts'
import { inbox } from '../../src/text/en/inbox.ts'
import { links } from '../../src/text/en/links.ts'
import { storage } from '../../src/text/en/storage.ts'
import type { Device } from '../browser.ts'
import { button, MIB, someFile } from '../guestPage.ts'
import { pngOf } from '../pictures.ts'
import type { Begin, Shot } from '../shots.ts'
import type { World } from '../world.ts'

const SUNSET = pngOf({ width: 900, height: 180, from: [56, 66, 130], to: [250, 180, 120] })

/** A language of the documents: the words of the pages, and those that people of the pictures use. */
interface Language {
  /** Before the name of a picture. */
  readonly folder: string
  readonly locale: 'en-GB' | 'de-DE'
  readonly pages: Pick<typeof ENGLISH, 'guest' | 'inbox' | 'links' | 'storage'>
  readonly people: {
    readonly label: string
    readonly title: string
    readonly picture: string
    readonly films: readonly [string, string]
    readonly speech: string
    readonly note: string
    readonly withPicture: string
  }
}

const ENGLISH = { guest, inbox, links, storage }

const LANGUAGES: readonly Language[] = [
  {
    folder: '',
    locale: 'en-GB',
    pages: ENGLISH,
    people: {
      label: 'Photos of the wedding',
      title: 'Your photos of our wedding',
      picture: 'At the lake.png',
      films: ['In front of the church.jpg', 'First dance.mp4'],
      speech: 'Speech.pdf',
      note: 'From our table. The film is the best part!',
      withPicture: 'The one that you asked for. I have more of them.',
    },
  },
  {
    folder: 'de/',
    locale: 'de-DE',
    pages: { guest: guestInGerman, inbox: inboxInGerman, links: linksInGerman, storage: storageInGerman },
    people: {
      label: 'Fotos von der Hochzeit',
      title: 'Eure Fotos von unserer Hochzeit',
      picture: 'Am See.png',
      films: ['Vor der Kirche.jpg', 'Der erste Tanz.mp4'],
      speech: 'Rede.pdf',
      note: 'Von unserem Tisch. Der Film ist das Beste!',
      withPicture: 'Das Bild, nach dem du gefragt hast. Ich habe noch mehr.',
    },
  },
]

/** The pictures of the documents (`npm run screenshots -- --docs docs/pictures`). */
export const docsShots: readonly Shot[] = LANGUAGES.flatMap((language) => {
  const { folder, locale, people } = language
  const shot = (
    name: string,
    begin: (world: World) => Promise<Begin>,
    reach: NonNullable<Shot['reach']>,
    device: Device = 'desktop',
  ): Shot => ({
    name: `${folder}${name}`,
    begin: async (world) => ({ ...(await begin(world)), locale }),
    reach,
    devices: [device],
  })
  return [
    shot(
      'guest',
      (world) => beginGuest(world, language),
      (page, world) => sendFilm(page, world, language),
    ),
    shot(
      'arrived',
      (world) => beginGuest(world, language),
      (page) => sendPicture(page, language),
    ),
    shot(
      'owner',
      (world) => beginInbox(world, language),
      (page) => button(page, people.picture).waitFor(),
    ),
    shot(
      'inbox',
      (world) => beginInbox(world, language),
      (page) => openDrop(page, language),
    ),
    shot('link', beginLinks, (page) => createLink(page, language)),
    shot(
      'storage',
      (world) => beginStorage(world, language),
      (page) => compareCopy(page, language),
    ),
    // For README.md, which is in English.
    ...(folder === ''
      ? [
          shot(
            'phone',
            (world) => beginGuest(world, language),
            (page, world) => sendFilm(page, world, language),
            'phone',
          ),
        ]
      : []),
  ]
})

const beginGuest = (world: World, { people: { title } }: Language) =>
  world.link({ title, caps: { maxTotalBytes: 10e9 } })

async function chooseFiles(
  page: Page,
  { pages }: Language,
  files: readonly ReturnType<typeof someFile>[],
): Promise<void> {
  await button(page, pages.guest.choose.files).and(page.locator(':enabled')).first().waitFor()
  const input = page.getByLabel(pages.guest.choose.files, { exact: true }).and(page.locator('input'))
  await input.setInputFiles([...files])
}

/** One file has arrived and a large one is on its way. */
async function sendFilm(page: Page, world: World, language: Language): Promise<void> {
  const { guest: words } = language.pages
  const { films, note } = language.people
  await chooseFiles(page, language, [someFile(films[0], 900_000), someFile(films[1], 24 * MIB)])
  await page.getByLabel(words.message.note, { exact: true }).fill(note)
  await page.getByLabel(words.message.sender).fill('Anna')
  world.line.slow({ upBytesPerSecond: 3_000_000 })
  await button(page, words.send(2)).click()
  await page.getByText(words.progress.arrived(1, 2, 0), { exact: true }).waitFor()
  const [beforeSize = ''] = words.queue.sending('#', '').split('#')
  await page.getByText(new RegExp(`^${beforeSize}[5-9]`)).waitFor()
  await page.evaluate(() => scrollTo(0, 0))
}

/** All has arrived. */
async function sendPicture(page: Page, language: Language): Promise<void> {
  const { guest: words } = language.pages
  await chooseFiles(page, language, [someFile(language.people.films[0], 900_000)])
  await button(page, words.send(1)).click()
  await page.getByRole('heading', { name: words.done.title(1) }).waitFor()
  await page.evaluate(() => scrollTo(0, 0))
}

async function beginInbox(world: World, { people }: Language): Promise<Begin> {
  const { owner } = await world.keeper()
  const { url } = await owner.createLink({ label: people.label })
  await sendFile(url, new Uint8Array(140_000), { name: people.speech, type: 'application/pdf', sender: 'Gustav' })
  await sendFile(url, SUNSET, {
    name: people.picture,
    type: 'image/png',
    sender: 'Anna',
    note: people.withPicture,
    modifiedAt: '2026-06-20T18:40:00Z',
  })
  return { url: `${world.url}/#/inbox`, signedInAs: owner }
}

async function openDrop(page: Page, { pages, people }: Language): Promise<void> {
  await button(page, people.picture).click()
  await button(page, pages.inbox.details.preview).click()
  await page.frameLocator('iframe.preview').locator('img').waitFor()
}

async function beginLinks(world: World): Promise<Begin> {
  return { url: `${world.url}/#/links`, signedInAs: await world.owner() }
}

async function createLink(page: Page, { pages: { links: words }, people }: Language): Promise<void> {
  await button(page, words.createFirst).click()
  await page.getByLabel(words.form.label, { exact: true }).fill(people.label)
  await button(page, words.form.submit).click()
  await page.getByRole('img', { name: words.ready.qr }).waitFor()
}

async function beginStorage(world: World, { people }: Language): Promise<Begin> {
  const { owner, album, device } = await world.keeper()
  const { url } = await owner.createLink({ label: people.label })
  await sendFile(url, SUNSET, { name: people.picture })
  for (const drop of await openedDrops(owner)) await owner.adoptDrop(drop, { album, device })
  return { url: `${world.url}/#/storage`, signedInAs: owner }
}

async function compareCopy(page: Page, { pages: { storage: words }, people }: Language): Promise<void> {
  const copy = { name: people.picture, mimeType: 'image/png', buffer: Buffer.from(SUNSET) }
  const region = page.getByRole('region', { name: words.compare.heading })
  await region.locator('input[type=file]').first().setInputFiles(copy)
  await page.getByRole('heading', { name: words.compare.yesHeading(1) }).waitFor()
  // The header of the page covers its first pixels.
  await region.evaluate((element) => scrollTo(0, element.getBoundingClientRect().top + scrollY - 70))
}
