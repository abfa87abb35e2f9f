/** Stories of guests: what they see, and what arrives at the owner. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openChecker } from '../../../conformance/checker/check.ts'
import { readItems } from '../../../conformance/checker/input.ts'
import { assertPrompt } from '../../../testing/prompt.ts'
import { until } from '../../../testing/until.ts'
import { assertAccessible } from './axe.ts'
import { hasTitle, useBrowser } from './browser.ts'
import { allArrived, button, choose, contentOf, MIB, rowOf, sendChosen, someFile } from './guestPage.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })

describe('a guest with a phone and a slow connection', () => {
  it('sees limits, progress and a checked receipt, and the owner opens exactly the bytes that were sent', async (t) => {
    const owner = await world.owner()
    const caps = { maxFileCount: 9, maxFileSize: 8 * MIB, maxTotalBytes: 100_000_000 }
    const words = {
      title: 'Photos of the wedding',
      message: '<b>Until</b> Sunday \u202Egpj',
      from: 'Zoë & \u05D3\u05DF',
    }
    const { url } = await world.link({ owner, caps, ...words })
    const { page } = await browser.open(t, { url, device: 'phone' })
    await page.getByText('9 files left').waitFor()
    // The server reports the room of the link, not of the owner's account, which may have less.
    await page.getByText('up to 100 MB in total through this link').waitFor()
    const said = page.getByRole('figure', { name: 'The person who made this link says:' })
    await said.getByText(words.title).waitFor()
    assert.ok((await movedIn(page)) < 0.01, 'what is read does not move when the link has answered')
    await said.getByText('<b>Until</b> Sunday gpj').waitFor()
    await said.locator('bdi').getByText(words.from, { exact: true }).waitFor()
    await page.getByText(/up to 8.39 MB per file/).waitFor()
    await button(page, 'Take a photo').waitFor()
    await assertAccessible(page)

    const [photo, letter, empty] = [
      someFile('photo.jpg', 2 * MIB),
      someFile('letter.pdf', 70_000),
      someFile('empty', 0),
    ]
    await choose(page, [photo, letter, empty, someFile('film.mp4', 9 * MIB)])
    await rowOf(page, 'film.mp4').getByText('Too large for this link.').waitFor()
    await page.getByText('will see why files did not fit, but not which files.').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('From the lake')
    await page.getByLabel('Your name').fill('Ada')
    await assertAccessible(page)

    world.line.slow({ upBytesPerSecond: MIB / 16 })
    t.after(() => world.line.slow({}))
    const before = world.line.passed().upBytes
    await sendChosen(page)
    await page.waitForFunction(() => {
      const bars = [
        ...document.querySelectorAll<HTMLProgressElement>('.queue .sending progress[aria-label="photo.jpg"]'),
      ]
      return bars.some(({ value, max }) => max > 2_097_152 && value > 0 && value < max)
    })
    // The bar moves during the first chunk, before the server has acknowledged it.
    assert.ok(world.line.passed().upBytes - before < MIB)
    await page.waitForFunction(() => /^\d+\s?% · Blindkeep$/.test(document.title))
    await assertAccessible(page)
    world.line.slow({})
    await page.getByRole('heading', { name: '3 files arrived, 1 was not sent' }).waitFor()
    await page.getByText('This browser checked the signatures.').waitFor()
    const card = page.locator('.done-card')
    await card.getByText('film.mp4').waitFor()
    await card.getByText('Too large for this link.').waitFor()
    await assertAccessible(page)
    await hasTitle(page, 'Not all arrived · Blindkeep')
    assert.equal(await page.getByText('You can close this page').count(), 0)
    await button(page, 'Remove film.mp4').click()
    await allArrived(page)
    await page.getByText('You can close this page').waitFor()
    await assertAccessible(page)
    await hasTitle(page, 'Arrived · Blindkeep')
    await choose(page, someFile('later.txt', 10))
    await page.getByRole('heading', { name: '3 files arrived, 1 more is not sent yet' }).waitFor()
    await page.waitForFunction(() => document.title !== 'Arrived · Blindkeep')
    await assertAccessible(page)
    await button(page, 'Remove later.txt').click()
    await allArrived(page)

    const drops = await owner.inbox()
    assert.deepEqual(
      new Set(drops.map(({ file }) => `${file?.note} / ${file?.sender}`)),
      new Set(['From the lake / Ada']),
    )
    for (const file of [photo, letter, empty]) assert.ok((await contentOf(owner, file.name)).equals(file.buffer))

    const refused = async () => (await owner.listLinks())[0]?.refused?.reasons
    await until(async () => (await refused()) !== undefined, 'the owner hears of the film')
    assert.deepEqual(await refused(), [{ why: 'too_large', count: 1 }])
    const { page: links } = await browser.open(t, { url: `${world.url}/#/links`, signedInAs: owner })
    await links.getByText('Refused once: a file was too large.').waitFor()
  })

  it('finishes a file although the connection is cut twenty times', async (t) => {
    const owner = await world.owner()
    const { url } = await world.link({ owner })
    const { page } = await browser.open(t, { url, device: 'phone' })
    const film = someFile('film.mp4', 6 * MIB)
    await choose(page, film)
    world.line.cutAfter(256 * 1024, 20)
    await sendChosen(page)
    // An `online` event ends each back-off, so that the test need not wait for twenty of them.
    const impatience = setInterval(() => {
      page.evaluate(() => dispatchEvent(new Event('online'))).catch(() => undefined)
    }, 50)
    t.after(() => clearInterval(impatience))
    await page.evaluate(() => {
      const seen = { most: 0, fell: 0 }
      Object.assign(globalThis, { seen })
      new MutationObserver(() => {
        const { value } = document.querySelector<HTMLProgressElement>('.progress-card progress') ?? { value: seen.most }
        seen.fell = Math.max(seen.fell, seen.most - value)
        seen.most = Math.max(seen.most, value)
      }).observe(document.body, { subtree: true, childList: true, attributes: true })
    })
    await page.getByRole('heading', { name: 'Your file has arrived' }).waitFor({ timeout: 60_000 })
    const { most, fell } = await page.evaluate<{ most: number; fell: number }>('seen')
    assert.ok(most >= MIB && fell === 0, `the progress fell by ${fell} of ${most} bytes`)
    assert.ok((await contentOf(owner, 'film.mp4')).equals(film.buffer))
  })
})

describe('a receipt', () => {
  it('says what the server signed, is downloaded, and is valid for the independent checker', async (t) => {
    const { url } = await world.link()
    const { page } = await browser.open(t, { url })
    await choose(page, someFile('deed.pdf', 3000))
    await sendChosen(page)
    await allArrived(page)
    await rowOf(page, 'deed.pdf')
      .getByText(/^Receipt checked/)
      .click()
    await rowOf(page, 'deed.pdf')
      .getByText(/^On .* the server signed that it has this file \(5.2\d kB encrypted\)/)
      .waitFor()
    await page.getByText('Ed25519 and ML-DSA-65, both checked').first().waitFor()
    await assertAccessible(page)
    const saved = await savedBy(page, () => button(page, 'Download this receipt').click())
    assert.equal(saved.name, 'blindkeep-receipt-deed.pdf.json')
    const text = Buffer.from(saved.bytes).toString()
    const checker = await openChecker({ keys: JSON.parse(text), pins: undefined, whole: false, log: false })
    for await (const item of readItems(Readable.from([text]))) checker.take(item)
    const { faults, receipts } = await checker.finish()
    assert.deepEqual([faults, receipts], [[], 1])
    await page.emulateMedia({ media: 'print' })
    const printed = await page.locator('.print-sheet').innerText()
    assert.match(printed, /deed\.pdf[\s\S]*SHA-256[\s\S]*[0-9a-f]{64}/)
    assert.match(printed, /does not show another person which file that was, through which link it came, to whom/)
    assert.ok(await page.locator('main').isHidden())
  })
})

describe('deceptive names', () => {
  it('are shown as text, arrive unchanged, and do not alter the page', async (t) => {
    const owner = await world.owner()
    const { url } = await world.link({ owner })
    const { page } = await browser.open(t, { url })
    const names = ['<img src=x onerror="document.title=1">.png', 'a\r\nSet-Cookie: x=1.txt', 'invoice\u202Efdp.exe']
    const huge = `${'n'.repeat(64 * 1024)}.txt`
    await choose(
      page,
      [...names, huge].map((name) => someFile(name, 10)),
    )
    await page.getByText('<img src=x onerror="document.title=1">.png').first().waitFor()
    assert.equal(await page.locator('.queue img').count(), 0)
    // A character that turns the text direction has an effect only inside its own isolate.
    assert.equal(await page.locator('bdi', { hasText: 'invoice' }).count(), 1)
    await sendChosen(page)
    await allArrived(page)
    const arrived = (await owner.inbox()).map(({ file }) => file?.name ?? '')
    for (const name of names) assert.ok(arrived.includes(name), name)
    const cut = arrived.find((name) => name.startsWith('nnn'))
    assert.ok(cut !== undefined && cut.length <= 2001 && cut.endsWith('n.txt'))
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  })
})

describe('many files', () => {
  it('do not freeze the page: ten thousand are counted and two hundred are drawn', async (t) => {
    const { url } = await world.link({ caps: { maxFileCount: 'unlimited' } })
    await assertPrompt(1_500, async () => {
      const { page } = await browser.open(t, { url })
      await button(page, 'Choose files').and(page.locator(':enabled')).waitFor()
      const longestMs = await page.evaluate(async () => {
        const transfer = new DataTransfer()
        for (let index = 0; index < 10_000; index++) transfer.items.add(new File(['x'], `file ${index}`))
        let [longest, last] = [0, performance.now()]
        const timer = setInterval(() => {
          longest = Math.max(longest, performance.now() - last)
          last = performance.now()
        }, 5)
        const input = document.querySelector<HTMLInputElement>('input[type=file]')
        if (input === null) throw new Error('there is no input')
        input.files = transfer.files
        input.dispatchEvent(new Event('change'))
        while (!document.body.innerText.includes('10,000 files'))
          await new Promise((resolve) => setTimeout(resolve, 20))
        clearInterval(timer)
        return longest
      })
      assert.equal(await page.locator('.queue li').count(), 200)
      await page.getByText('… and 9,800 more files, counted above.').waitFor()
      return longestMs
    })
  })

  it('come from a folder with all its contents, each under its path, also on a phone that reloads before they are sent', async (t) => {
    const owner = await world.owner()
    const { url } = await world.link({ owner, passphrase: 'sesame' })
    const { page } = await browser.open(t, { url, device: 'phone' })
    const root = await mkdtemp(join(tmpdir(), 'blindkeep-folder-'))
    t.after(() => rm(root, { recursive: true }))
    const folder = join(root, 'trip')
    await makeFolder(folder)
    const input = page.getByLabel('Choose a folder', { exact: true }).and(page.locator('input'))
    await button(page, 'Choose a folder').and(page.locator(':enabled')).waitFor()
    await input.setInputFiles(folder)
    await rowOf(page, 'one.txt').waitFor()

    const asked: string[] = []
    page.once('dialog', (dialog) => {
      asked.push(dialog.type())
      return dialog.accept()
    })
    await page.getByRole('heading', { level: 1 }).click()
    await page.reload()
    assert.deepEqual(asked, ['beforeunload'])
    await button(page, 'Choose a folder').and(page.locator(':enabled')).waitFor()
    assert.equal(
      await page.getByText('one.txt').count(),
      0,
      'before a passphrase, nothing says what an earlier visit chose',
    )
    await input.setInputFiles(folder)
    await rowOf(page, 'two.txt').waitFor()
    await assertAccessible(page)
    // By itself it is the file of the folder.
    await choose(page, join(folder, 'one.txt'))
    await page.getByText('A file with the name, size and time of one.txt is already in the list.').waitFor()
    await page.getByRole('textbox', { name: 'Passphrase', exact: true }).fill('sesame')
    await sendChosen(page)
    await allArrived(page)
    await input.setInputFiles(folder)
    await page
      .getByText('2 files were not added: files with their names, sizes and times have already been sent.')
      .waitFor()
    await button(page, 'Add them all the same').waitFor()
    await assertAccessible(page)
    const names = (await owner.inbox()).map(({ file }) => file?.name).sort()
    assert.deepEqual(names, ['trip/day 2/two.txt', 'trip/one.txt'])
  })
})

async function makeFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'day 2'), { recursive: true })
  await writeFile(join(folder, 'one.txt'), 'one')
  await writeFile(join(folder, 'day 2', 'two.txt'), 'two')
}

/** How much of what was drawn has moved since, as Chromium counts it (Layout Instability API): 0.1 is felt. */
function movedIn(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const observer = new PerformanceObserver((list) =>
          resolve(list.getEntries().reduce((sum, entry) => sum + ('value' in entry ? Number(entry.value) : 0), 0)),
        )
        observer.observe({ type: 'layout-shift', buffered: true })
        // There is always one of these: then all that came before is here, too.
        observer.observe({ type: 'paint', buffered: true })
      }),
  )
}
