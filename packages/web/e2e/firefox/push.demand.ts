/**
 * One whole way with nothing in place of a browser: Firefox subscribes at a push service that speaks its protocol, a
 * file lands, Firefox decrypts the message, the service worker shows it, and a click on the notification opens the
 * inbox. Needs an installed Firefox; on demand: `npm run test:firefox-push`, with `FIREFOX` as the path of the program
 * if it is not `firefox-esr`.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openAutopush } from '../../../../testing/autopush.ts'
import { sendFile } from '../../../../testing/people.ts'
import { openPushService } from '../../../../testing/pushService.ts'
import { account as text } from '../../src/text/en/account.ts'
import { push as words } from '../../src/text/en/push.ts'
import { startWorld } from '../world.ts'
import { openFirefox } from './marionette.ts'

const MAX_WAIT_MS = 120_000

async function until<Value>(read: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  const end = Date.now() + MAX_WAIT_MS
  for (;;) {
    const value = await read()
    if (isSo(value)) return value
    assert.ok(Date.now() < end, `${isSo}: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const buttonOf = (label: string) => `//button[contains(., "${label}")]`

describe('a Firefox', () => {
  it('shows that a file has arrived, and a click opens the inbox, in an open page or a new one', async (t) => {
    const push = await openPushService()
    const autopush = await openAutopush(push)
    const world = await startWorld({
      env: { NOTIFY: 'push', NOTIFY_NETWORKS: '127.0.0.1', NODE_EXTRA_CA_CERTS: push.certificateFile },
    })
    const { owner, email, password } = await world.person()
    const firefox = await openFirefox(process.env.FIREFOX ?? 'firefox-esr', {
      'dom.push.serverURL': autopush.url,
      'dom.push.testing.allowInsecureServerURL': true,
      'permissions.default.desktop-notification': 1,
      'alerts.useSystemBackend': false,
      'intl.accept_languages': 'en',
    })
    t.after(async () => {
      await firefox.close()
      await world.stop()
      await autopush.close()
      await push.close()
    })
    const titles = async () =>
      firefox.inPage(`
        const registration = await navigator.serviceWorker.getRegistration('/push/')
        return (await registration.getNotifications()).map(({ title }) => title)
      `) as Promise<readonly string[]>

    await firefox.navigate(`${world.url}/#/account`)
    await firefox.type('//input[@type="email"]', email)
    await firefox.type('//input[@type="password"]', password)
    await firefox.click('//form//button[@type="submit"]')
    await firefox.click(buttonOf(text.notify.push.start))
    await firefox.click(buttonOf(text.notify.test))
    await until(titles, (shown) => shown.includes(words.test('').title))

    const { url } = await owner.createLink()
    await sendFile(url, new Uint8Array(1000))
    await until(titles, (shown) => shown.includes('1 file has arrived'))
    assert.deepEqual(push.refused, [])

    const clickAlert = (title: string) =>
      firefox.inBrowser(`
        for (const alert of Services.wm.getEnumerator('alert:alert'))
          if (alert.document.getElementById('alertTitleLabel').value === ${JSON.stringify(title)})
            alert.document.getElementById('alertBox').click()
      `)
    const readHash = async () => firefox.inPage('return location.hash')
    assert.equal(await readHash(), '#/account')
    await clickAlert('1 file has arrived')
    await until(readHash, (hash) => hash === '#/inbox')

    const guestsPage = `${world.url}/u/${'0'.repeat(32)}`
    await firefox.navigate(guestsPage)
    const openAddresses = async () =>
      firefox.inBrowser(`
        const { gBrowser } = Services.wm.getMostRecentWindow('navigator:browser')
        return gBrowser.tabs.map(({ linkedBrowser }) => linkedBrowser.currentURI.spec)
      `) as Promise<readonly string[]>
    assert.deepEqual(await openAddresses(), [guestsPage])
    const [channel] = (await owner.channels()).channels
    assert.ok(channel)
    assert.equal(await owner.testChannel(channel.channelId), undefined)
    await until(titles, (shown) => shown.includes(words.test('').title))
    await clickAlert(words.test('').title)
    await until(openAddresses, (open) => open.includes(`${world.url}/#/inbox`))
  })
})
