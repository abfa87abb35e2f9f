import type { Page } from 'playwright-core'
import { take as text } from '../../src/text/en/take.ts'
import { button, section } from '../accountPage.ts'
import { BARE } from '../bare.ts'
import type { Shot } from '../shots.ts'
import type { World } from '../world.ts'

const FILES = [
  'IMG_20260704_181233.jpg',
  'At the lake, the whole afternoon and the way home, cut together.mp4',
  'Ticket.pdf',
]

const begin = async (world: World) => {
  const owner = await world.owner()
  await owner.createAlbum({ name: 'Summer' })
  return { url: `${world.url}/#/account`, signedInAs: owner }
}

async function turnOn(page: Page): Promise<void> {
  await button(page, text.start).click()
  await section(page, text.title).getByText(text.install).waitFor()
}

const FORM =
  '<!doctype html><form method="post" enctype="multipart/form-data" action="../take/"><input type="file" name="files" multiple><button>Share</button></form>'

/** A form of the origin, as the system sends it. The policies of the server's own documents refuse one. */
async function share(page: Page, world: World, count: number): Promise<void> {
  const form = `${world.url}${BARE}`
  await page.route(form, (route) => route.fulfill({ contentType: 'text/html', body: FORM }))
  await page.goto(form)
  const given = FILES.slice(0, count).map((name, index) => ({
    name,
    mimeType: '',
    buffer: Buffer.alloc(50 ** (index + 2)),
  }))
  await page.locator('input').setInputFiles(given)
  await button(page, 'Share').click()
  await page.waitForURL(/#\/albums/)
}

export const takenShots: readonly Shot[] = [
  {
    name: 'taken/on',
    begin,
    reach: async (page) => {
      await turnOn(page)
      await section(page, text.title).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'taken/waiting',
    begin,
    reach: async (page, world) => {
      await turnOn(page)
      await share(page, world, 3)
      await page.getByText(text.waiting(3)).waitFor()
    },
  },
  {
    name: 'taken/adding',
    begin,
    reach: async (page, world) => {
      await turnOn(page)
      await share(page, world, 1)
      await button(page, text.add).click()
      await button(page, text.submit(1)).waitFor()
    },
  },
  {
    name: 'taken/refused',
    begin,
    reach: async (page, world) => {
      await turnOn(page)
      await button(page, text.stop).click()
      await button(page, text.start).waitFor()
      await share(page, world, 1)
      await page.getByText(text.faults.off).waitFor()
    },
  },
]
