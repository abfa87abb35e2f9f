/** What a link asks, and what its guests have answered, in a real browser. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { openLink, type PrepareOptions, send, type UploadLink } from '@blindkeep/client/guest'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { unzipped, whyNoUnzip } from '../../../testing/unzipped.ts'
import { albums as albumsText } from '../src/text/en/albums.ts'
import { find as findText } from '../src/text/en/find.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { links as linksText } from '../src/text/en/links.ts'
import { work as workText } from '../src/text/en/work.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()
const asking = linksText.asking
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const row = (page: Page, name: string) => page.locator('.drop').filter({ hasText: name })
const focused = (page: Page, name: string) => page.locator(':focus').and(button(page, name)).waitFor()

async function sendAs(guest: UploadLink, facts: Omit<PrepareOptions, 'source'>): Promise<void> {
  const source = sourceOfBytes(Uint8Array.from(randomBytes(100)))
  await send({ state: await guest.prepare({ ...facts, source }), source })
}

/** Names of the files in their order on the page. */
const names = (page: Page) => page.locator('.drop .name').allTextContents()

async function untilNamed(page: Page, wanted: readonly string[]): Promise<void> {
  await page.waitForFunction(
    (all) => [...document.querySelectorAll('.drop .name')].map((name) => name.textContent).join() === all,
    wanted.join(),
  )
  assert.deepEqual(await names(page), wanted)
}

async function fitsPhone(page: Page): Promise<void> {
  // Where the page ends, the bar of a phone covers nothing.
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
}

describe('questions to guests', () => {
  it('are put into order and sent with a link, and their answers order, mark and sort the files', async (t) => {
    const { owner } = await world.keeper()
    const { url, opaqueId } = await owner.createLink({ label: 'Office' })
    const early = await openLink(url)
    const { page } = await browser.open(t, {
      ...{ url: `${world.url}/#/links`, signedInAs: owner, device: 'phone', colorScheme: 'dark' },
    })
    await page.setViewportSize({ width: 320, height: 800 })

    await page.getByRole('button', { name: /^More/ }).first().click()
    await button(page, 'Change Office').click()
    await page.getByText(asking.title).click()
    await button(page, asking.add).click()
    // The new question has the focus.
    await page.keyboard.type('Topic')
    await page.getByLabel(asking.kind, { exact: true }).selectOption(asking.kinds.choice)
    await page.getByLabel(asking.choices).fill('Invoice\nOther')
    await page.getByLabel(asking.required).uncheck()
    await button(page, asking.add).click()
    await page.keyboard.type('Topic')
    await page.getByLabel(asking.fileKinds).fill('.PDF jpg')
    await button(page, linksText.editing.submit).click()
    await page.getByText(asking.faults.label_repeated).waitFor()
    await page.locator('input:focus[aria-invalid=true]').fill('Matter number')
    await fitsPhone(page)
    await button(page, asking.up(2)).focus()
    await page.keyboard.press('Enter')
    await page.getByText(asking.moved('Matter number', 1, 2)).waitFor()
    // There it cannot go further up.
    await focused(page, asking.down(1))
    await button(page, asking.add).click()
    await button(page, asking.remove(3)).press('Enter')
    await focused(page, asking.remove(2))
    await button(page, linksText.editing.submit).click()
    await page.getByText(linksText.kindsWanted('pdf, jpg')).waitFor()
    const guest = await openLink(url)
    assert.deepEqual(guest.questions, [
      { label: 'Matter number', required: true, kind: 'text', most: undefined },
      { label: 'Topic', required: false, kind: 'choice', choices: ['Invoice', 'Other'] },
    ])
    assert.deepEqual(guest.fileKinds, ['pdf', 'jpg'])

    const answers = (matter: string, topic: string) => ({
      fields: [
        ['Matter number', matter],
        ['Topic', topic],
      ] as const,
      sender: 'Ada',
    })
    const batch = { id: 'ab'.repeat(16), count: 2 }
    await sendAs(early, { name: 'early.pdf' })
    await sendAs(guest, {
      name: 'odd.exe',
      fields: [
        ['Colour', '<b>red</b>'],
        ['Topic', 'Gift'],
      ],
    })
    for (const [index, name] of ['one.pdf', 'two.pdf'].entries())
      await sendAs(guest, { ...answers('2026/17', 'Invoice'), name, batch: { ...batch, index } })
    await sendAs(guest, { ...answers('2026/3', 'Other'), name: 'three.pdf' })
    // As a link that is used up, it keeps its questions while its files wait.
    await owner.revokeLink(opaqueId)

    // The links cannot be had for a while.
    await page.route('**/v1/drops/links*', (route) => route.abort())
    await page.goto(`${world.url}/#/inbox`)
    await row(page, 'early.pdf').waitFor()
    await page.unroute('**/v1/drops/links*')
    await row(page, 'early.pdf').getByText(text.answers.withoutAnswers).waitFor()
    const odd = row(page, 'odd.exe')
    assert.deepEqual(await odd.locator('.answers dt bdi').allTextContents(), ['Matter number', 'Topic', 'Colour'])
    assert.deepEqual(
      (await odd.locator('.answers dd').allTextContents()).map((said) => said.trim()),
      [
        text.answers.marks.missing,
        `Gift ${text.answers.faults.not_a_choice}`,
        `<b>red</b> ${text.answers.marks.not_asked}`,
      ],
    )
    await odd.getByText(text.answers.wrongKind(['pdf', 'jpg'])).waitFor()
    // Once for both files.
    assert.equal(await page.locator('.batch .answers').getByText('2026/17').count(), 1)
    await fitsPhone(page)

    await page.getByLabel(findText.sort).selectOption('Matter number')
    await untilNamed(page, ['three.pdf', 'two.pdf', 'one.pdf', 'odd.exe', 'early.pdf'])
    await button(page, findText.filters(0)).click()
    await page.getByLabel(findText.question).selectOption('Topic')
    const choice = page.getByRole('combobox', { name: findText.choice, exact: true })
    await choice.waitFor()
    // Its choices, and what else a guest has answered.
    assert.deepEqual(await choice.locator('option').allTextContents(), [
      findText.anyAnswer,
      ...['Invoice', 'Other', 'Gift'],
    ])
    await choice.selectOption('Invoice')
    await untilNamed(page, ['two.pdf', 'one.pdf'])
    await page.getByText(findText.found(2, 5)).waitFor()
    await fitsPhone(page)
    await page.reload()
    await untilNamed(page, ['two.pdf', 'one.pdf'])

    await page.getByLabel(text.chooseAll, { exact: true }).check()
    await button(page, text.zip.download).click()
    await page.getByLabel(workText.saving.into).fill('Office//')
    await page.getByText(workText.saving.intoFault).waitFor()
    await page.getByLabel(workText.saving.into).fill('Office')
    await button(page, 'Matter number').click()
    await button(page, workText.saving.sender).click()
    await page.getByText('Office/2026_17/Ada/two.pdf').waitFor()
    await fitsPhone(page)
    const zip = await savedBy(page, () => button(page, workText.saving.zip).click())
    await page.getByText(text.zip.done(2)).waitFor()
    if ((await whyNoUnzip()) === undefined)
      assert.deepEqual(
        (await unzipped(zip.bytes)).map(({ name }) => name),
        ['Office/2026_17/Ada/two.pdf', 'Office/2026_17/Ada/one.pdf'],
      )

    await button(page, text.keep).click()
    await button(page, text.keeping.submit(2)).click()
    await page.getByRole('link', { name: text.keeping.toAlbum }).click()
    const said = page.locator('.tile-answers', { hasText: '2026/17 · Invoice' }).first()
    await said.waitFor()
    assert.deepEqual(await said.locator('bdi').allTextContents(), ['2026/17', 'Invoice'])
    await page.getByRole('link', { name: /one\.pdf/ }).click()
    const facts = page.getByRole('region', { name: albumsText.asset.facts })
    await facts.getByText('2026/17').waitFor()
    await fitsPhone(page)
  })
})
