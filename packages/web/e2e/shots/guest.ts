import type { CreateLink } from '@blindkeep/client/owner'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../../testing/people.ts'
import { asked } from '../../src/text/en/asked.ts'
import { guest as text } from '../../src/text/en/guest.ts'
import type { Shot } from '../shots.ts'

const UNLIMITED = { caps: { maxTotalBytes: 'unlimited', maxFileCount: 'unlimited' } } as const

/** What a guest sees. */
export const guestShots: readonly Shot[] = [
  {
    name: 'guest/ready',
    begin: (world) => world.link(UNLIMITED),
    reach: (page) => page.getByText(text.limits.none).waitFor(),
  },
  {
    name: 'guest/exposed',
    begin: async (world) => {
      const link = await world.link({ title: 'Photos of the wedding' })
      return { ...link, url: link.url.replace('#', '%23') }
    },
    reach: (page) => page.getByText(text.exposed.title).waitFor(),
  },
  {
    name: 'guest/limited',
    begin: (world) => world.link({ caps: { maxFileCount: 3, maxFileSize: 5_000_000, maxTotalBytes: 12_000_000 } }),
    reach: (page) => page.getByText(text.limits.files(3)).waitFor(),
  },
  {
    name: 'guest/one-file',
    begin: (world) => world.link({ singleUse: true }),
    reach: (page) => page.getByText(text.limits.onlyOne).waitFor(),
  },
  {
    name: 'guest/one-file-arrived',
    begin: (world) => world.link({ singleUse: true }),
    reach: async (page) => {
      await page.getByText(text.limits.onlyOne).waitFor()
      await choose(page, FILES.slice(0, 1))
      await sendAll(page)
      await page.getByText(text.done.onlyOne).waitFor()
    },
  },
  {
    name: 'guest/one-file-came-back',
    begin: (world) => world.link({ singleUse: true }),
    reach: async (page) => {
      await page.getByText(text.limits.onlyOne).waitFor()
      await choose(page, FILES.slice(0, 1))
      await sendAll(page)
      await page.getByText(text.done.onlyOne).waitFor()
      await page.reload()
      await page.getByText(text.standing.closed_for_new.title).waitFor()
    },
  },
  {
    name: 'guest/full',
    begin: async (world) => {
      const link = await world.link({ caps: { maxFileCount: 1 } })
      await sendFile(link.url, new Uint8Array(1))
      return link
    },
    reach: (page) => page.getByText(text.standing.full.title).waitFor(),
  },
  {
    name: 'guest/full-came-back',
    begin: (world) => world.link({ caps: { maxFileCount: 3 } }),
    reach: async (page) => {
      await page.getByText(text.limits.files(3)).waitFor()
      await choose(page, FILES)
      await sendAll(page)
      await page.getByText(text.done.checked(FILES.length)).waitFor()
      await page.reload()
      await page.getByText(text.standing.full_for_new.title).waitFor()
    },
  },
  {
    name: 'guest/owners-words',
    begin: (world) =>
      world.link({
        title: 'Photos of the wedding',
        message: 'All of them, please, until Sunday.',
        from: 'Anna and Bo',
        caps: { maxFileCount: 30 },
      }),
    reach: (page) => page.getByText('Photos of the wedding').waitFor(),
  },
  {
    name: 'guest/passphrase',
    begin: (world) => world.link({ passphrase: 'a word for guests' }),
    reach: async (page) => {
      await page.getByText(text.limits.passphrase).waitFor()
      await choose(page, ['contract.pdf'])
    },
  },
  {
    name: 'guest/questions',
    begin: (world) => world.link(ASKED),
    reach: async (page) => {
      await page.getByText(asked.whose).waitFor()
      await choose(page, ['Notes.txt', 'contract.pdf'])
      await sendAll(page)
      await page.getByText(asked.faults.missing).first().waitFor()
    },
  },
  {
    name: 'guest/answered',
    begin: (world) => world.link({ questions: ASKED.questions }),
    reach: async (page) => {
      await page.getByText(asked.whose).waitFor()
      await choose(page, ['contract.pdf'])
      await write(page)
      await page.getByLabel('Matter number').fill('2026/17')
      await page.getByLabel('Topic', { exact: true }).selectOption('Invoice')
      await sendAll(page)
      await page.getByText(text.done.checked(1)).waitFor()
      await page.getByText(text.receipt.short).first().click()
    },
  },
  {
    name: 'guest/revoked',
    begin: async (world) => {
      const owner = await world.owner()
      const { url, opaqueId } = await world.link({ owner })
      await owner.revokeLink(opaqueId)
      return { url }
    },
    reach: (page) => page.getByText(text.standing.closed.title).waitFor(),
  },
  {
    name: 'guest/damaged-address',
    begin: async (world) => ({ url: (await world.link()).url.slice(0, -5) }),
    reach: (page) => page.getByText(text.faults.malformed.title).waitFor(),
  },
  {
    name: 'guest/unknown-address',
    begin: ({ url }) => ({ url: `${url}/none/of/these` }),
    expected: [/404 for /],
  },
  {
    name: 'guest/unreachable',
    begin: (world) => world.link(UNLIMITED),
    reach: async (page, world) => {
      await page.getByText(text.limits.none).waitFor()
      await choose(page, FILES)
      world.line.down()
      await sendAll(page)
      await page.getByText(text.failures.no_connection).first().waitFor()
    },
  },
  {
    name: 'guest/chosen',
    begin: (world) => world.link(),
    reach: async (page) => {
      await choose(page, FILES)
      await write(page)
    },
  },
  {
    name: 'guest/unfit',
    begin: (world) => world.link({ caps: { maxFileSize: 100_000 } }),
    reach: async (page) => {
      await page.getByText(/per file/).waitFor()
      await choose(page, FILES)
    },
  },
  {
    name: 'guest/sending',
    begin: (world) => world.link(),
    reach: async (page, world) => {
      // Larger than the system's buffers, which would count as sent.
      await choose(page, FILES, 25)
      await write(page)
      world.line.slow({ upBytesPerSecond: 1_000_000 })
      await sendAll(page)
      await page.getByText(text.queue.arrived.now, { exact: true }).first().waitFor()
    },
  },
  {
    name: 'guest/done',
    begin: (world) => world.link(),
    reach: async (page) => {
      await choose(page, FILES)
      await write(page)
      await sendAll(page)
      await page.getByText(text.done.checked(FILES.length)).waitFor()
    },
  },
  {
    name: 'guest/more-files',
    begin: (world) => world.link(),
    reach: async (page) => {
      await choose(page, FILES.slice(0, 2))
      await write(page)
      await sendAll(page)
      await page.getByText(text.done.checked(2)).waitFor()
      await choose(page, FILES.slice(2))
    },
  },
]

const ASKED: CreateLink = {
  title: 'Papers for your matter',
  questions: [
    { label: 'Matter number', kind: 'text', required: true, most: 20 },
    { label: 'Topic', kind: 'choice', required: true, choices: ['Invoice', 'Contract', 'Other'] },
    { label: 'Day of delivery', kind: 'date', required: false },
  ],
  fileKinds: ['pdf', 'txt', 'png'],
}

const FILES: readonly string[] = [
  'From the boat, last evening.jpg',
  'Notes.txt',
  'Rechnung_2026-11-004_endgültig_unterschrieben.pdf',
]

async function choose(page: Page, names: readonly string[], times = 1): Promise<void> {
  const files = names.map((name, index) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(3_000 * 9 ** index * (index === 0 ? 1 : times), name),
  }))
  await page.locator('input[type=file]').first().setInputFiles(files)
  await page
    .getByText(names.at(-1) ?? '')
    .first()
    .waitFor()
}

async function write(page: Page): Promise<void> {
  await page.getByLabel(text.message.note, { exact: true }).fill('From the last evening on the lake.')
  await page.getByLabel(text.message.sender, { exact: true }).fill('Ada Lovelace')
}

async function sendAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Send \d/ }).click()
}
