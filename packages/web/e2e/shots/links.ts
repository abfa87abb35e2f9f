import { randomBytes } from 'node:crypto'
import { normalPassphrase } from '@blindkeep/client/guest'
import type { Owner } from '@blindkeep/client/owner'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../../testing/people.ts'
import { links as text } from '../../src/text/en/links.ts'
import { owner as shellText } from '../../src/text/en/owner.ts'
import { openMore, type Shot } from '../shots.ts'
import type { World } from '../world.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const bytes = (count: number) => Uint8Array.from(randomBytes(count))

async function used(world: World): Promise<Owner> {
  const owner = await world.owner()
  const old = await owner.createLink({ label: 'Contract', singleUse: true })
  await sendFile(old.url, bytes(20_000))
  await owner.revokeLink((await owner.createLink()).opaqueId)
  const mailbox = await owner.createLink({ label: 'Anything for the office', caps: { maxFileSize: 2_000_500_000 } })
  const full = await owner.createLink({
    label: 'Pictures for the door',
    caps: { maxFileCount: 1 },
    passphrase: 'sesame',
  })
  await sendFile(full.url, bytes(1000), { name: 'door.jpg', passphrase: normalPassphrase('sesame') })
  const wedding = await owner.createLink({
    label: 'Photos of the wedding',
    title: 'Your photos of the wedding',
    message: 'Until Sunday, please.',
    questions: [
      { label: 'Who is on it?', required: true, kind: 'text', most: undefined },
      { label: 'Part of the day', required: false, kind: 'choice', choices: ['Church', 'Dinner', 'Dance'] },
    ],
    fileKinds: ['jpg', 'png'],
    caps: { maxFileCount: 100, maxTotalBytes: 3_000_000 },
    expiresAt: new Date(Date.now() + 6 * 86_400_000).toISOString(),
  })
  for (const { url } of [mailbox, wedding, wedding]) await sendFile(url, bytes(600_000), { name: 'file.jpg' })
  return owner
}

const begin = async (world: World) => ({ url: `${world.url}/#/links`, signedInAs: await used(world) })
const beginNew = async (world: World) => ({ url: `${world.url}/#/links`, signedInAs: await world.owner() })
const listed = (page: Page) => page.getByText('Photos of the wedding').first().waitFor()

/** The links of an owner. */
export const linksShots: readonly Shot[] = [
  { name: 'links/none', begin: beginNew, reach: (page) => button(page, text.createFirst).waitFor() },
  {
    name: 'links/list',
    begin,
    reach: async (page) => {
      await listed(page)
      await page.getByText(text.pastTitle(2)).click()
    },
  },
  { name: 'links/new', begin: beginNew, reach: (page) => button(page, text.createFirst).click() },
  {
    name: 'links/new-closing',
    begin: beginNew,
    reach: async (page) => {
      await button(page, text.createFirst).click()
      await page.getByLabel(text.form.label, { exact: true }).fill('Photos of the wedding')
      await page.keyboard.press('Escape')
      await page.getByText(shellText.closing.typed).waitFor()
    },
  },
  {
    name: 'links/new-limits',
    begin: beginNew,
    reach: async (page) => {
      await button(page, text.createFirst).click()
      await page.getByText(text.form.limits).click()
      await button(page, text.form.suggest).click()
      await page.getByLabel(text.form.maxFiles).fill('-1')
      await button(page, text.form.submit).click()
      await page.getByText(text.form.faults.number).waitFor()
    },
  },
  {
    name: 'links/made',
    begin: beginNew,
    reach: async (page) => {
      await button(page, text.createFirst).click()
      await page.getByText(text.form.limits).click()
      await page.getByLabel(text.form.passphrase).fill('hjk4-mnp7-wxy2-3bcd')
      await button(page, text.form.submit).click()
      await page.getByText(text.ready.created).waitFor()
    },
  },
  {
    name: 'links/shown',
    begin,
    reach: async (page) => {
      await listed(page)
      await button(page, /^Show link Photos/).click()
    },
  },
  {
    name: 'links/changing',
    begin,
    reach: async (page) => {
      await listed(page)
      await openMore(page, 'Photos')
      await button(page, /^Change Photos/).click()
      await page.getByLabel(text.form.maxFiles).fill('1')
      await button(page, text.editing.submit).click()
      await page.getByText(text.form.faults.below_use).waitFor()
    },
  },
  {
    name: 'links/asking-too-much',
    begin,
    reach: async (page) => {
      await listed(page)
      await openMore(page, 'Photos')
      await button(page, /^Change Photos/).click()
      await page.getByLabel(text.asking.choices).fill('Church')
      await button(page, text.editing.submit).click()
      await page.getByText(text.asking.faults.choices_count).waitFor()
    },
  },
  {
    name: 'links/duplicating',
    begin,
    reach: async (page) => {
      await listed(page)
      await openMore(page, 'Photos')
      await button(page, /^Duplicate Photos/).click()
    },
  },
  {
    name: 'links/revoking',
    begin,
    reach: async (page) => {
      await listed(page)
      await openMore(page, 'Photos')
      await button(page, /^Revoke Photos/).click()
    },
  },
]
