/** Messages to the browser that shows the page, from the click that turns them on to the one that opens the inbox. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logIn } from '@blindkeep/client/account'
import { quickEnvironment, sendFile } from '../../../testing/people.ts'
import { openPushService } from '../../../testing/pushService.ts'
import { until } from '../../../testing/until.ts'
import { account as german } from '../src/text/de/account.ts'
import { push as germanWords } from '../src/text/de/push.ts'
import { account as text } from '../src/text/en/account.ts'
import { owner as shellText } from '../src/text/en/owner.ts'
import { push as words } from '../src/text/en/push.ts'
import { section } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { BARE } from './bare.ts'
import { useBrowser } from './browser.ts'
import { withPush } from './pushBrowser.ts'
import { startStrippingProxy } from './strippingProxy.ts'
import { startWorld, useWorld } from './world.ts'

const browser = useBrowser()
const offering = useWorld({ env: { NOTIFY: 'push' } })

/** A message waits until nothing has landed for 5 seconds. On a busy machine it takes longer. */
const MAX_MESSAGE_MS = 60_000

describe('messages to this browser', () => {
  it('begin with a click, come in the language of the page, open the inbox, and end with the sign-out', async (t) => {
    const push = await openPushService()
    const proxy = await startStrippingProxy('/keep')
    const { certificateFile: NODE_EXTRA_CA_CERTS } = push
    const world = await startWorld({
      publicUrl: proxy.url,
      env: { NOTIFY: 'push', NOTIFY_NETWORKS: '127.0.0.1', NODE_EXTRA_CA_CERTS },
    })
    proxy.forwardTo(world.server.url)
    t.after(async () => {
      await world.stop()
      await proxy.close()
      await push.close()
    })
    const { url } = world
    const { owner, email, password } = await world.person()
    // The session of `owner` is the browser's from now on.
    const { owner: other } = await logIn({ baseUrl: url, email, password, environment: quickEnvironment })
    assert.ok(other)
    const { page, context } = await browser.open(t, { url: `${url}${BARE}`, signedInAs: owner })
    const witness = await context.newPage()
    await witness.goto(`${url}${BARE}`)
    const here = await withPush({ context, page: witness, push, url })
    await page.goto(`${url}/#/account`)
    const messages = section(page, text.notify.title)
    const start = messages.getByRole('button', { name: text.notify.push.start })
    await start.waitFor()
    await assertAccessible(page)
    await start.click()
    await page.getByText(text.notify.push.started).waitFor()
    const row = messages.getByRole('listitem')
    await row.getByText(text.notify.push.here).waitFor()
    await row.getByText('Chrome on Linux').first().waitFor()
    assert.equal(await start.count(), 0)
    await assertAccessible(page)
    assert.deepEqual(await here.scopes(), [`${url}/push/`])

    await row.getByRole('button', { name: text.notify.test }).click()
    await page.getByText(text.notify.tested).waitFor()
    await here.deliver(push.received.at(-1)?.text ?? '')
    const { host } = new URL(url)
    assert.deepEqual(await here.shown(), [{ ...words.test(host), lang: 'en' }])

    const link = await other.createLink()
    await sendFile(link.url, new Uint8Array(1000))
    await sendFile(link.url, new Uint8Array(2000))
    await until(() => push.received.length === 2, 'the second message', MAX_MESSAGE_MS)
    const landed = push.received[1]?.text ?? ''
    const titles = async () => (await here.shown()).map(({ title }) => title)
    await here.deliver(landed)
    assert.deepEqual(await titles(), ['Test', '2 files have arrived'])
    await here.deliver(landed)
    assert.deepEqual(await titles(), ['Test', '2 files have arrived'], 'a repeat is not counted again')
    await page.getByLabel(shellText.language).selectOption('de')
    await page.getByText(german.notify.title).waitFor()
    const later = { ...JSON.parse(landed), id: 'msg_later', count: 1 }
    await until(
      async () => {
        await here.deliver(JSON.stringify(later))
        return (await here.shown()).some(({ lang }) => lang === 'de')
      },
      'the message in the other language',
      MAX_MESSAGE_MS,
    )
    assert.deepEqual(await titles(), ['Test', '3 Dateien sind angekommen'], 'what is still shown is counted')
    await here.deliver('{"about":"something new"}')
    assert.equal((await titles()).at(-1), germanWords.unknown.title)

    assert.equal(await here.click(), undefined, 'the open page is used')
    await page.waitForURL(`${url}/#/inbox`)
    assert.equal((await titles()).length, 2, 'the notification has closed')
    await page.goto(`${url}${BARE}`)
    assert.equal(await here.click(), `${url}/#/inbox`)

    await page.goto(`${url}/#/account`)
    const [before] = (await other.channels()).channels
    here.lose()
    await page.reload()
    await page.getByText(german.notify.push.lost).waitFor()
    await page.getByRole('link', { name: german.notify.push.lostLink }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: german.notify.push.start }).click()
    await page.getByText(german.notify.push.started).waitFor()
    const { channels } = await other.channels()
    assert.equal(channels.length, 1, 'the lost one is replaced')
    assert.notEqual(channels[0]?.channelId, before?.channelId)

    await page.getByRole('button', { name: 'Abmelden', exact: true }).first().click()
    await page.getByLabel(german.email).waitFor()
    assert.equal(here.subscription(), undefined)
    assert.deepEqual(await here.scopes(), [])
    assert.deepEqual((await other.channels()).channels, [])
    assert.deepEqual([push.refused, proxy.strayed], [[], []])
  })
})

describe('a browser that gets no messages', () => {
  it('says that the owner has refused them, that it cannot, and that on an iPhone the page has to be installed', async (t) => {
    const { obstacles, start } = text.notify.push
    const owner = await offering.owner()
    const { page, context } = await browser.open(t, { url: `${offering.url}/#/account`, signedInAs: owner })
    await page.getByText(obstacles.denied).waitFor()
    assert.ok(await page.getByRole('button', { name: start }).isDisabled())
    await assertAccessible(page)

    await context.addInitScript(() => void Reflect.deleteProperty(globalThis, 'PushManager'))
    await page.reload()
    await page.getByText(obstacles.unsupported).waitFor()
    assert.equal(await page.getByRole('button', { name: start }).count(), 0)

    await context.addInitScript(() => {
      const named =
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
      Object.defineProperty(navigator, 'userAgent', { get: () => named })
    })
    await page.reload()
    await page.getByText(obstacles.install).waitFor()
    assert.equal(await page.getByRole('button', { name: start }).count(), 0)
  })
})
