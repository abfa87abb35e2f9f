/** Stories of links whose owner asks for answers and for kinds of files. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CreateLink, Owner } from '@blindkeep/client/owner'
import { until } from '../../../testing/until.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { allArrived, button, choose, rowOf, sendChosen, someFile } from './guestPage.ts'
import { useWorldBehindProxy } from './world.ts'

const browser = useBrowser()
let owner: Owner
const { world, proxy } = useWorldBehindProxy(async (started) => {
  owner = await started.owner()
})

const MATTER = 'Matter number \u202E<b>'
const ASKED: CreateLink = {
  questions: [
    { label: MATTER, kind: 'text', required: true, most: 12 },
    { label: 'Topic', kind: 'choice', required: true, choices: ['Invoice', 'Other'] },
    { label: 'Day', kind: 'date', required: false },
    { label: 'Amount', kind: 'number', required: false },
    // A form finds its fields by their names before its own methods.
    { label: 'querySelectorAll', kind: 'number', required: false },
    { label: 'insertBefore', kind: 'date', required: false },
  ],
  fileKinds: ['pdf', 'jpg'],
}

const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 and so on') })

describe('a link whose owner asks something', () => {
  it('sends nothing before the answers, nor a file of another kind, and keeps the answers over a reload', async (t) => {
    const { url } = await world.link({ owner, passphrase: 'lake', ...ASKED })
    const from = proxy.seen.length
    const { page } = await browser.open(t, { url, device: 'phone' })
    await page.setViewportSize({ width: 320, height: 700 })
    await page.getByText('only pdf, jpg').waitFor()
    const card = page.getByRole('region', { name: 'Questions' })
    await card.getByText('words of the person who made this link. Do not enter passwords.').waitFor()
    const matter = page.getByRole('textbox', { name: 'Matter number <b>' })
    const [topic, amount] = [page.getByLabel('Topic', { exact: true }), page.getByLabel('Amount (optional)')]
    await choose(page, [pdf('one.pdf'), pdf('two.jpg'), someFile('notes.txt', 10)])
    await rowOf(page, 'notes.txt').getByText('Not a kind of file that this link asks for.').waitFor()
    await rowOf(page, 'two.jpg').getByText('Its content is not what its name says').waitFor()
    await page.getByText('wants files of these kinds: pdf, jpg').waitFor()
    await page.getByRole('textbox', { name: 'Passphrase', exact: true }).fill('lake')

    await page.getByLabel('Your name').fill('Ada')
    await button(page, /^Send 1 file/).click()
    await card.getByText('Please answer this. Nothing is sent before.').nth(1).waitFor()
    // The focus is in the first field with a fault, so that it can be answered at once.
    await matter.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('2026/17 and more')
    await card.getByText('Use at most 12 characters.').waitFor()
    await assertAccessible(page)
    await matter.fill(' 2026/17 ')
    await topic.selectOption('Invoice')
    await amount.fill('1.250,50')
    await matter.press('Enter')
    await card.getByText('Enter a number in digits without separators of thousands').waitFor()
    await amount.fill('1,250')
    await card.getByText('This could mean thousands or decimals.').waitFor()
    assert.equal(await amount.inputValue(), '1,250')
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
    const isSending = ({ method }: { readonly method: string }) => method === 'POST' || method === 'PATCH'
    assert.deepEqual(proxy.seen.slice(from).filter(isSending), [])

    page.once('dialog', (dialog) => dialog.accept())
    await page.reload()
    await choose(page, [pdf('one.pdf'), pdf('three.pdf')])
    assert.deepEqual([await matter.inputValue(), await topic.inputValue()], [' 2026/17 ', 'Invoice'])
    await page.getByLabel('Day (optional)').fill('2026-11-29')
    // A browser may ask for the month first. Words say what it has read.
    await card.getByText('29 Nov 2026').waitFor()
    await amount.fill('1250,50')
    await page.getByRole('textbox', { name: 'Passphrase', exact: true }).fill('lake')
    const [pressedAt, seen] = [performance.now(), proxy.seen.length]
    await sendChosen(page)
    await page.locator('.progress-card').waitFor()
    const shownMs = performance.now() - pressedAt
    await until(async () => proxy.seen.slice(seen).some(isSending), 'the passphrase is proven')
    assert.ok(shownMs < (performance.now() - pressedAt) / 2, 'the page says that it sends before the proof is made')
    await allArrived(page)
    const fields = [
      [MATTER.replace('\u202E', ''), '2026/17'],
      ['Topic', 'Invoice'],
      ['Day', '2026-11-29'],
      ['Amount', '1250.50'],
    ]
    const files = (await owner.inbox()).map(({ file }) => file)
    assert.deepEqual(files.map((file) => file?.name).sort(), ['one.pdf', 'three.pdf'])
    for (const file of files) assert.deepEqual([file?.sender, file?.fields], ['Ada', fields])

    await page.getByRole('heading', { name: 'With both files, encrypted' }).waitFor()
    await page.getByText('More files are sent with what you wrote for these.').waitFor()
    await rowOf(page, 'one.pdf').getByText('Receipt checked').click()
    await rowOf(page, 'one.pdf').getByText('2026/17').waitFor()
    await assertAccessible(page)
    await page.emulateMedia({ media: 'print' })
    assert.match(await page.locator('.print-sheet').innerText(), /one\.pdf[\s\S]*has not signed it[\s\S]*2026\/17/)
  })
})
