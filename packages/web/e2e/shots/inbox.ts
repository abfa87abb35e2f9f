import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../../testing/people.ts'
import { albums as albumsText } from '../../src/text/en/albums.ts'
import { inbox as text } from '../../src/text/en/inbox.ts'
import { work as workText } from '../../src/text/en/work.ts'
import { pngOf } from '../pictures.ts'
import { dropRubbish } from '../rubbish.ts'
import type { Shot } from '../shots.ts'
import type { World } from '../world.ts'
import { beginInbox } from './storage.ts'

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const bytes = (count: number) => Uint8Array.from(randomBytes(count))

async function begin(world: World) {
  const { owner } = await world.keeper()
  const wedding = await owner.createLink({ label: 'Photos of the wedding' })
  const office = await owner.createLink({ label: 'Anything for the office' })
  await dropRubbish(office.url)
  await sendFile(office.url, new TextEncoder().encode('<h1>Not a page</h1>\n<script>alert(1)</script>\n'.repeat(50)), {
    name: 'page.html',
    type: 'text/html',
  })
  await sendFile(office.url, bytes(1_250_000), {
    name: `${'a name that does not end '.repeat(10)}.pdf`,
    sender: 'Office of Dr. Example',
    type: 'application/pdf',
  })
  await sendFile(wedding.url, pngOf({ width: 800, height: 520 }), {
    name: 'meadow.png',
    type: 'image/png',
    sender: 'Anna',
    note: 'The one that you asked for. I have the others too, tell me when you want them. '.repeat(9),
    modifiedAt: '2026-06-01T10:00:00Z',
  })
  return { url: `${world.url}/#/inbox`, signedInAs: owner }
}

async function beginAnswers(world: World) {
  const { owner } = await world.keeper()
  const { url } = await owner.createLink({
    label: 'Office',
    questions: [
      { label: 'Matter number', required: true, kind: 'text', most: undefined },
      { label: 'Topic', required: true, kind: 'choice', choices: ['Invoice', 'Other'] },
      { label: 'Day of the invoice', required: false, kind: 'date' },
    ],
    fileKinds: ['pdf'],
  })
  const batch = { id: 'ab'.repeat(16), count: 2 }
  const fields = [
    ['Matter number', '2026/17'],
    ['Topic', 'Invoice'],
    ['Day of the invoice', '2026-11-02'],
  ] as const
  await sendFile(url, bytes(9_000), {
    name: 'odd.exe',
    fields: [
      ['Topic', 'Gift'],
      ['Colour', 'red'],
    ],
  })
  await sendFile(url, bytes(90_000), {
    name: 'long.pdf',
    sender: 'Anna',
    fields: [
      ['Matter number', 'The one about the house in the Long Street, and all that came of it in the years since'],
      ['Topic', 'Other'],
    ],
  })
  for (const [index, name] of ['scan 1.pdf', 'scan 2.pdf'].entries())
    await sendFile(url, bytes(200_000), { name, fields, sender: 'Ada', batch: { ...batch, index } })
  return { url: `${world.url}/#/inbox`, signedInAs: owner }
}

const listed = (page: Page) => page.getByText('meadow.png').first().waitFor()

async function open(page: Page, name: string): Promise<void> {
  await listed(page)
  await button(page, name).click()
}

async function preview(page: Page, name: string, inside: string): Promise<void> {
  await open(page, name)
  await button(page, text.details.preview).click()
  await page.frameLocator('iframe.preview').locator(inside).waitFor()
}

async function chooseTwo(page: Page): Promise<void> {
  await listed(page)
  await page.getByLabel(text.choose('meadow.png')).check()
  await page.getByLabel(text.choose(text.unopened)).check()
}

/** The account as a fuller one has it. */
async function withAccount(page: Page, members: object): Promise<void> {
  await page.route('**/v1/account', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), ...members } })
  })
  await page.reload()
  await page.locator('.banner').waitFor()
  await listed(page)
}

/** The inbox of an owner. */
export const inboxShots: readonly Shot[] = [
  {
    name: 'inbox/withheld',
    begin: async (world) => ({ ...(await beginInbox(world)), url: `${world.url}/#/inbox` }),
    reach: (page) => page.getByText(text.faults.held).waitFor(),
  },
  {
    name: 'inbox/none',
    begin: async (world) => ({ url: `${world.url}/#/inbox`, signedInAs: await world.owner() }),
    reach: (page) => page.getByText(text.emptyTitle).waitFor(),
  },
  { name: 'inbox/list', begin, reach: listed },
  {
    name: 'inbox/found',
    begin: async (world) => ({ ...(await begin(world)), url: `${world.url}/#/inbox?q=meadow&kind=image` }),
    reach: listed,
  },
  { name: 'inbox/nearly-full', begin, reach: (page) => withAccount(page, { inbox: { waiting: 8700, room: 10_000 } }) },
  ...(['inbox_full', 'quota_exceeded'] as const).map(
    (why): Shot => ({
      name: `inbox/guests-refused-${why.split('_')[0]}`,
      begin,
      reach: (page) =>
        withAccount(page, {
          ...(why === 'inbox_full' && { inbox: { waiting: 10_000, room: 10_000 } }),
          refused_drops: { why, count: 12, first_at: '2026-11-20T08:00:00Z', last_at: '2026-11-20T08:40:00Z' },
        }),
    }),
  ),
  {
    name: 'inbox/reading',
    begin,
    reach: async (page) => {
      await page.route('**/v1/drops/*/content', () => undefined)
      await page.reload()
      await page.getByText(text.unread).first().waitFor()
    },
  },
  { name: 'inbox/chosen', begin, reach: chooseTwo },
  { name: 'inbox/details', begin, reach: (page) => open(page, 'meadow.png') },
  { name: 'inbox/details-broken', begin, reach: (page) => open(page, text.unopened) },
  { name: 'inbox/preview-picture', begin, reach: (page) => preview(page, 'meadow.png', 'img') },
  { name: 'inbox/preview-text', begin, reach: (page) => preview(page, 'page.html', 'pre') },
  {
    name: 'inbox/keep',
    begin,
    reach: async (page) => {
      await chooseTwo(page)
      await button(page, text.keep).click()
      await page.getByText(text.keeping.newAlbum).click()
    },
  },
  {
    name: 'inbox/keep-protected',
    begin,
    reach: async (page) => {
      await chooseTwo(page)
      await button(page, text.keep).click()
      await page.getByLabel(albumsText.protect.keeping(1)).check()
    },
  },
  {
    name: 'inbox/save',
    begin,
    reach: async (page) => {
      await page.evaluate(() => Object.assign(globalThis, { showDirectoryPicker: () => undefined }))
      await chooseTwo(page)
      await page.locator('.choosing').getByRole('button', { name: text.download, exact: true }).click()
      await button(page, workText.saving.folder).waitFor()
    },
  },
  { name: 'inbox/answers', begin: beginAnswers, reach: (page) => page.getByText('2026/17').first().waitFor() },
  {
    name: 'inbox/answers-details',
    begin: beginAnswers,
    reach: async (page) => {
      await page.getByText('2026/17').first().waitFor()
      await button(page, 'odd.exe').click()
    },
  },
  {
    name: 'inbox/answers-save',
    begin: beginAnswers,
    reach: async (page) => {
      await page.getByText('2026/17').first().waitFor()
      await page.evaluate(() => Object.assign(globalThis, { showDirectoryPicker: () => undefined }))
      await page.getByLabel(text.chooseAll, { exact: true }).check()
      await page.locator('.choosing').getByRole('button', { name: text.download, exact: true }).click()
      await button(page, 'Matter number').click()
      await button(page, workText.saving.sender).click()
    },
  },
  {
    name: 'inbox/kept',
    begin,
    reach: async (page) => {
      await open(page, 'meadow.png')
      await button(page, text.keepLong).click()
      await button(page, text.keeping.submit(1)).click()
      await page.getByText(text.keeping.toAlbum).waitFor()
    },
  },
  {
    name: 'inbox/discard',
    begin,
    reach: async (page) => {
      await chooseTwo(page)
      await button(page, text.discard).click()
    },
  },
  {
    name: 'inbox/working',
    begin,
    reach: async (page) => {
      await chooseTwo(page)
      await page.route('**/v1/drops/*', (route) =>
        route.request().method() === 'DELETE' ? route.abort() : route.continue(),
      )
      await button(page, text.discard).click()
      await button(page, text.discarding.submit(2)).click()
      await page.getByText(workText.waiting).waitFor()
    },
  },
  {
    name: 'inbox/keys',
    begin,
    reach: async (page) => {
      await page.getByRole('heading', { name: text.title, exact: true }).waitFor()
      await button(page, workText.keys.title).click()
    },
  },
  {
    name: 'inbox/failed',
    begin,
    reach: async (page) => {
      await chooseTwo(page)
      await page.route('**/v1/drops/*', (route) =>
        route.request().method() === 'DELETE' ? route.fulfill({ status: 403 }) : route.continue(),
      )
      await button(page, text.discard).click()
      await button(page, text.discarding.submit(2)).click()
      await page.getByText(workText.failed.discard(2)).waitFor()
    },
  },
  {
    name: 'inbox/tampered',
    begin,
    reach: async (page) => {
      await open(page, 'meadow.png')
      await page.route('**/v1/drops/*/content', async (route) => {
        const answer = await route.fetch()
        const body = await answer.body()
        body[body.length - 1] = (body.at(-1) ?? 0) ^ 1
        await route.fulfill({ response: answer, body })
      })
      await page.evaluate(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
      await button(page, text.download).click()
      await page.getByText(text.tampered).waitFor()
    },
  },
]
