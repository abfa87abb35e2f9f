/**
 * The main stories in every browser that is installed: `npm run stories:browsers`. `BROWSERS="Firefox WebKitGTK"` names
 * some of them, and `STORY_PICTURES=<directory>` takes pictures.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import { sendFile } from '../../../../testing/people.ts'
import { unzipped, whyNoUnzip } from '../../../../testing/unzipped.ts'
import { guest as german } from '../../src/text/de/guest.ts'
import { account } from '../../src/text/en/account.ts'
import { guest } from '../../src/text/en/guest.ts'
import { inbox } from '../../src/text/en/inbox.ts'
import { links } from '../../src/text/en/links.ts'
import { owner as shell } from '../../src/text/en/owner.ts'
import { share } from '../../src/text/en/share.ts'
import { filesOfKinds } from '../documents.ts'
import { contentOf, MIB } from '../guestPage.ts'
import { pngOf } from '../pictures.ts'
import { useWorld } from '../world.ts'
import { chromium } from './chromiumTab.ts'
import type { Target } from './find.ts'
import { firefox } from './firefoxTab.ts'
import { formerNameStory } from './formerNameStory.ts'
import { localPagesStory } from './localPagesStory.ts'
import { movedStory } from './movedStory.ts'
import type { StoryBrowser, VisitWish } from './port.ts'
import { openPage, type StoryPage } from './storyPage.ts'
import { webkit } from './webkitTab.ts'

const BROWSERS = [chromium, firefox, webkit]
const wanted = process.env.BROWSERS?.split(/[\s,]+/).filter((name) => name !== '') ?? []
const unknown = wanted.filter((name) => BROWSERS.every((browser) => browser.name !== name))
assert.deepEqual(unknown, [], `BROWSERS names ${unknown.join(', ')}; there are Chromium, Firefox and WebKitGTK`)
const world = useWorld({ withLine: true, env: { CHUNK_BYTES_SUGGESTED: '262144' } })

/** A busy machine seals and sends the film in a minute. */
const FILM_PATIENCE_MS = 180_000
const PASSWORD = 'violet anchor gravel tuba'
const picture = pngOf({ width: 320, height: 200 })
const bytes = (count: number) => new Uint8Array(randomBytes(count))

const button = (name: string | RegExp): Target => ({ role: 'button', name })
const field = (name: string | RegExp): Target => ({ role: 'field', name })
const heading = (name: string | RegExp): Target => ({ role: 'heading', name })
const link = (name: string | RegExp): Target => ({ role: 'link', name })
const said = (text: string | RegExp): Target => ({ text })
const fileField: Target = { role: 'file', name: guest.choose.files }
const guestRow = (name: string): Target => ({ css: '.queue li', text: name })
const drop = (name: string): Target => ({ css: '.drop', text: name })

async function whySkipped({ name, whyNot }: StoryBrowser): Promise<string | undefined> {
  return wanted.length === 0 || wanted.includes(name) ? whyNot() : 'BROWSERS does not name it'
}

// All before the first suite: if the file waits after one that runs nothing, Node takes all tests for ended.
const skips = await Promise.all(BROWSERS.map(whySkipped))
for (const [index, browser] of BROWSERS.entries())
  describe(browser.name, { skip: skips[index] ?? false }, () => {
    guestStories(browser)
    ownerStories(browser)
    lookStories(browser)
    formerNameStory(browser)
    movedStory(browser)
    // WebKit asks the network for names below `localhost`.
    if (browser !== webkit) localPagesStory(browser)
  })

/** Opens pages that close when the test ends. */
function opener(browser: StoryBrowser) {
  const opened = new WeakMap<TestContext, StoryPage[]>()
  return async (t: TestContext, wish: VisitWish): Promise<StoryPage> => {
    const page = await openPage(browser, wish)
    t.diagnostic(page.tab.version)
    const earlier = opened.get(t)
    if (earlier !== undefined) earlier.push(page)
    else {
      const pages = [page]
      opened.set(t, pages)
      // All of them, even if one had problems.
      t.after(async () => {
        const outcomes = await Promise.allSettled(pages.map((each) => each.close()))
        const problems = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
        assert.deepEqual(problems, [])
      })
    }
    return page
  }
}

function guestStories(browser: StoryBrowser): void {
  const open = opener(browser)

  it('lets a guest send files and a folder, shows the receipts and saves one', async (t) => {
    const owner = await world.owner()
    const { url } = await world.link({ owner, title: 'Photos of the wedding', message: 'Until Sunday' })
    const page = await open(t, { url })
    await page.see(said('Photos of the wedding'))
    await page.see(button(guest.choose.files))
    await page.assertAccessible()
    const files = { 'photo.png': picture, 'Grüße.txt': bytes(70_000), empty: bytes(0) }
    await page.choose(fileField, files)
    await page.see(guestRow('photo.png'))
    const folder = { 'one.txt': bytes(10), 'day 2/two.txt': bytes(20) }
    if (page.tab.choosesFolders) {
      await page.chooseFolder({ role: 'file', name: guest.choose.folder }, 'trip', folder)
      await page.see(guestRow('two.txt'))
    }
    await page.fill(field(guest.message.note), 'From the lake')
    await page.fill(field(guest.message.sender), 'Ada')
    await page.look('guest-ready')
    await page.assertAccessible()
    await page.click(button(/^Send \d/))
    await page.see(heading(/files have arrived$/))
    await page.see(said('This browser checked the signatures.'))
    await page.look('guest-arrived')
    await page.assertAccessible()
    const receiptRow = guestRow('photo.png')
    await page.click({ css: 'summary', text: /^Receipt checked/, within: receiptRow })
    await page.see({ text: 'Ed25519 and ML-DSA-65, both checked', within: receiptRow })
    await page.look('guest-receipt')
    const saved = await page.saved(() => page.click({ ...button(guest.receipt.save), within: receiptRow }))
    assert.equal(saved.name, 'blindkeep-receipt-photo.png.json')
    assert.ok(Buffer.from(saved.bytes).toString().includes('"receipt'))
    for (const [name, content] of Object.entries(files)) assert.ok((await contentOf(owner, name)).equals(content), name)
    const folderNames = page.tab.choosesFolders ? ['trip/day 2/two.txt', 'trip/one.txt'] : []
    const names = (await owner.inbox()).map(({ file }) => `${file?.name} from ${file?.sender}: ${file?.note}`)
    const expected = [...Object.keys(files), ...folderNames].map((name) => `${name} from Ada: From the lake`)
    assert.deepEqual(names.toSorted(), expected.toSorted())
  })

  it('asks a guest for a passphrase, and again when it is wrong', async (t) => {
    const owner = await world.owner()
    const { url } = await world.link({ owner, passphrase: 'lake' })
    const page = await open(t, { url })
    await page.see(said(guest.limits.passphrase))
    const content = bytes(1000)
    await page.choose(fileField, { secret: content })
    await page.fill(field(guest.message.passphrase), 'sea')
    await page.click(button(/^Send \d/))
    await page.see(said('The server rejected this passphrase.'))
    await page.fill(field(guest.message.passphrase), 'La-KE')
    await page.click(button(guest.message.passphraseSend))
    await page.see(heading(/has arrived$/))
    assert.ok((await contentOf(owner, 'secret')).equals(content))
  })

  it('goes on after a reload in the middle of a file, without sending again what is there', async (t) => {
    const owner = await world.owner()
    const { url } = await world.link({ owner })
    const page = await open(t, { url })
    const film = { 'film.mp4': bytes(6 * MIB) }
    await page.choose(fileField, film)
    world.line.slow({ upBytesPerSecond: MIB })
    const before = world.line.passed().upBytes
    await page.click(button(/^Send \d/))
    await page.until('two mebibytes', async () => world.line.passed().upBytes - before > 2 * MIB)
    await page.tab.reload()
    await page.see(heading('1 file was not finished'))
    await page.look('guest-unfinished')
    world.line.mend()
    const resumed = world.line.passed().upBytes
    await page.choose(fileField, film)
    await page.see(heading(/has arrived$/))
    const again = world.line.passed().upBytes - resumed
    assert.ok(again < 5 * MIB, `${again} bytes were sent after the reload`)
    assert.ok((await contentOf(owner, 'film.mp4')).equals(film['film.mp4']))
    await page.tab.reload()
    await page.see({ text: /Arrived on /, within: guestRow('film.mp4') })
  })
}

function ownerStories(browser: StoryBrowser): void {
  const open = opener(browser)

  it('lets an owner register, sign out, sign in and create a link', async (t) => {
    const email = `${randomBytes(6).toString('hex')}@example.org`
    const page = await open(t, { url: `${world.url}/#/register` })
    await page.fill(field(account.email), email)
    await page.fill(field(account.password), PASSWORD)
    await page.fill(field(account.repeatPassword), PASSWORD)
    await page.look('register')
    await page.click(button(account.register.submit))
    await page.see({ css: `[aria-label="${account.words.list}"]` })
    const words = await page.tab.run(() =>
      [...document.querySelectorAll('ol li > :last-child')].map(({ textContent }) => textContent ?? ''),
    )
    assert.equal(words.length, 24)
    await page.click(button(account.words.next))
    await page.see(button(account.words.finish))
    const places = await page.tab.run(() =>
      [...document.querySelectorAll('form label')].map(({ textContent }) => textContent ?? ''),
    )
    for (const place of places) await page.fill(field(place), words[Number(place.replace(/\D/g, '')) - 1] ?? '')
    await page.click(button(account.words.finish))
    await page.see(heading(inbox.emptyTitle))
    await page.see(said(shell.live))
    await page.assertAccessible()

    await page.click(link(shell.pages.account))
    await page.click(button(shell.signOut))
    await page.see(said(account.signIn.reasons.signed_out))
    await page.fill(field(account.email), email)
    await page.fill(field(account.password), PASSWORD)
    await page.click(button(account.signIn.submit))
    await page.click(link(shell.pages.links))
    await page.click(button(links.createFirst))
    await page.fill(field(links.form.label), 'Holidays')
    await page.look('new-link')
    await page.click(button(links.form.submit))
    const { text: address } = await page.see({ css: '.link-shown' })
    await page.look('link')
    await page.assertAccessible()
    await page.click(button(links.ready.done))
    await sendFile(address, bytes(100), { name: 'through the new link.bin' })
    await page.see(said(/^1 file arrived/))
  })

  it('draws a document, a photo of a phone and a film in the sandbox', async (t) => {
    const owner = await world.owner()
    const { url } = await owner.createLink()
    const files = await filesOfKinds()
    const names = ['plan.pdf', 'photo.heic', 'fax.tiff', 'film.webm'] as const
    for (const name of names) await sendFile(url, files[name], { name })
    const page = await open(t, { url: `${world.url}/#/inbox`, signedInAs: owner })
    for (const name of names) {
      await page.click({ ...button(name), within: drop(name) })
      await page.click(button(inbox.details.preview))
      await page.see({ css: 'iframe.preview' })
      await page.until(`${name} in the frame`, () =>
        page.tab.runInFrame('iframe.preview', () => document.querySelector('canvas, video') !== null),
      )
      await page.look(name)
      await page.click({ ...button(inbox.close), within: { css: 'dialog' } })
      await page.gone({ css: 'iframe.preview' })
    }
  })

  it('shows what arrives, previews a picture in its sandbox, downloads one file and a ZIP, and keeps them', async (t) => {
    const owner = await world.owner()
    const { url } = await owner.createLink({ label: 'Wedding' })
    const page = await open(t, { url: `${world.url}/#/inbox`, signedInAs: owner })
    await page.see(heading(inbox.emptyTitle))
    const letter = bytes(300_000)
    const send = { sender: 'Anna', note: 'For you.' }
    await sendFile(url, picture, { ...send, name: 'view.png', type: 'image/png' })
    await sendFile(url, letter, { ...send, name: 'Grüße.bin' })
    // Without a reload.
    await page.see({ text: 'from Anna', within: drop('view.png') })
    await page.see(drop('Grüße.bin'))
    await page.look('inbox')
    await page.assertAccessible()

    await page.click({ ...button('view.png'), within: drop('view.png') })
    await page.click(button(inbox.details.preview))
    await page.see({ css: 'iframe.preview' })
    await page.until('the picture in the frame', () =>
      page.tab.runInFrame('iframe.preview', () => document.querySelector('img')?.naturalWidth === 320),
    )
    const reach = await page.tab.runInFrame('iframe.preview', async () => {
      const storage = (() => {
        try {
          return localStorage.length
        } catch {
          return 'refused'
        }
      })()
      return { origin: self.origin, storage }
    })
    assert.deepEqual(reach, { origin: 'null', storage: 'refused' })
    await page.look('preview')
    await page.click({ ...button(inbox.close), within: { css: 'dialog' } })
    await page.gone({ css: 'iframe.preview' })

    const saved = await page.saved(() => page.click({ ...button(/^Download/), within: drop('Grüße.bin') }))
    assert.equal(saved.name, 'Grüße.bin')
    assert.ok(Buffer.from(saved.bytes).equals(letter))
    await page.click({ role: 'checkbox', name: inbox.chooseAll })
    const zip = await page.saved(() => page.click(button(inbox.zip.download)))
    const title = `${inbox.batch.count(2)} ${inbox.from('Anna')}`
    assert.match(zip.name, new RegExp(`^${title} \\d{4}-\\d\\d-\\d\\d\\.zip$`))
    if ((await whyNoUnzip()) === undefined)
      assert.deepEqual((await unzipped(zip.bytes)).map(({ name, size }) => `${name} ${size}`).toSorted(), [
        `Grüße.bin ${letter.length}`,
        `view.png ${picture.length}`,
      ])

    await page.click(button(inbox.keep))
    await page.fill(field(inbox.keeping.newAlbumName), 'Sea')
    await page.click(button(inbox.keeping.submit(2)))
    await page.click(link(inbox.keeping.toAlbum))
    await page.see(heading('Sea'))
    await page.see({ css: '.tile', text: 'view.png' })
    await page.see({ css: '.tile', text: 'Grüße.bin' })
    await page.look('album')
    await page.assertAccessible()
  })

  it('takes a film of 200 MB from a guest, and saves it for its owner', async (t) => {
    const owner = await world.owner()
    const { url } = await world.link({ owner })
    const film = bytes(200_000_000)
    const guestPage = await open(t, { url })
    await guestPage.choose(fileField, { 'film.mp4': film })
    const begunAt = performance.now()
    await guestPage.click(button(/^Send \d/))
    await guestPage.until('the film', async () => (await owner.inbox()).length === 1, FILM_PATIENCE_MS)
    await guestPage.see(heading(/has arrived$/))
    t.diagnostic(`sent in ${Math.round((performance.now() - begunAt) / 1000)} s`)
    const page = await open(t, { url: `${world.url}/#/inbox`, signedInAs: owner })
    const savedFrom = performance.now()
    const saved = await page.saved(() => page.click({ ...button(/^Download/), within: drop('film.mp4') }), film.length)
    t.diagnostic(`saved in ${Math.round((performance.now() - savedFrom) / 1000)} s`)
    assert.equal(saved.name, 'film.mp4')
    assert.ok(Buffer.from(saved.bytes).equals(film))
  })

  it('lets an owner add a picture to an album, with a thumbnail, and share it, and a reader open it', async (t) => {
    const keeper = await world.keeper()
    const { owner, album, device } = keeper
    const report = bytes(1_200_000)
    await owner.upload({ source: sourceOfBytes(report), album, device, name: 'report.bin' })
    const page = await open(t, { url: `${world.url}/#/albums/${album}`, signedInAs: owner })
    await page.see({ css: '.tile', text: 'report.bin' })
    await page.choose({ role: 'file', css: 'input.add-files' }, { 'meadow.png': picture })
    await page.see({ css: '.tile img', within: { css: '.tile', text: 'meadow.png' } })
    await page.look('album-thumbnail')
    await page.click({ role: 'checkbox', name: 'Select report.bin' })
    await page.click({ role: 'checkbox', name: 'Select meadow.png' })
    await page.click(button('Share'))
    await page.fill(field(/^Your name for it/), 'For the notary')
    await page.click(button('Create share link'))
    const { value: url } = await page.see(field('Share link'))
    await page.click(button('Done'))

    const reader = await open(t, { url })
    await reader.see(said('report.bin'))
    await reader.look('share')
    await reader.assertAccessible()
    await reader.click(button(share.showOf('meadow.png')))
    await reader.see({ css: 'iframe.preview' })
    await reader.until('the picture in the frame', () =>
      reader.tab.runInFrame('iframe.preview', () => document.querySelector('img')?.naturalWidth === 320),
    )
    await reader.look('share-preview')
    await reader.click({ ...button(share.close), within: { css: 'dialog' } })
    const saved = await reader.saved(() => reader.click(button(share.saveOf('report.bin'))))
    assert.equal(saved.name, 'report.bin')
    assert.ok(Buffer.from(saved.bytes).equals(report))
  })
}

/** Runs in the page: where the driver cannot set the language, the guest chooses it in the page. */
function chooseGerman(): void {
  const select = document.querySelector('select')
  if (select === null) throw new Error('there is no choice of a language')
  select.value = 'de'
  select.dispatchEvent(new Event('change', { bubbles: true }))
}

function lookStories(browser: StoryBrowser): void {
  const open = opener(browser)
  const brightness = () => {
    const [red = 0, green = 0, blue = 0] = (getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g) ?? []).map(
      Number,
    )
    return (red + green + blue) / 3 / 255
  }

  it('is German for a guest who prefers German, and follows the theme of the system', async (t) => {
    const expiresAt = '2099-12-03T12:00:00Z'
    const { url } = await world.link({ expiresAt })
    const page = await open(t, { url, locale: 'de-DE', colorScheme: 'dark' })
    if (!page.tab.hasLocale) await page.tab.run(chooseGerman)
    await page.see(heading(german.title))
    assert.equal(await page.tab.run(() => document.documentElement.lang), 'de')
    await page.see(said(/offen bis 0?3\.(12|\u00a0?Dez)/))
    await page.choose({ role: 'file', name: german.choose.files }, { 'brief.pdf': bytes(1_500_000) })
    await page.see({ text: '1,5\u00a0MB', within: guestRow('brief.pdf') })
    assert.ok((await page.tab.run(brightness)) < 0.3)
    await page.look('german-dark')
    await page.assertAccessible()
    const light = await open(t, { url })
    await light.see(heading(guest.title))
    assert.ok((await light.tab.run(brightness)) > 0.8)
    await light.look('english-light')
  })

  it('shows where the keyboard is', async (t) => {
    const page = await open(t, { url: `${world.url}/#/sign-in` })
    await page.see(button(account.signIn.submit))
    for (let steps = 0; steps < 3; steps++) await page.tab.press('Tab')
    const focused = await page.tab.run(() => {
      const element = document.activeElement ?? document.body
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      return {
        isActive: document.hasFocus(),
        element: element.tagName,
        outline: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0,
      }
    })
    assert.notEqual(focused.element, 'BODY')
    if (!focused.isActive) return t.skip('the window of this browser is not active, so it shows no focus')
    assert.ok(focused.outline, `${focused.element} shows no ring`)
    await page.look('focus')
  })
}
