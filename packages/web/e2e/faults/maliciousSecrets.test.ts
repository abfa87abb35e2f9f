/** A malicious server wants the secret of an owner’s link and a proof of the password: in a real browser. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import { account as accountText } from '../../src/text/en/account.ts'
import { links as linksText } from '../../src/text/en/links.ts'
import { button } from '../accountPage.ts'
import { useBrowser } from '../browser.ts'
import { useWorldBehindProxy } from '../world.ts'

const browser = useBrowser()
const { world, proxy } = useWorldBehindProxy(async () => undefined)

const ELSEWHERE = 'https://collector.example'

/** How long a page that would act on a lie gets to do so. */
const ACTING_MS = 1_500

describe('a new link, with a malicious server', () => {
  it('has the address of the page, whatever the server says that its address is', async (t) => {
    const { owner } = await world.keeper()
    proxy.tamper({
      matches: isRequest('GET', /server-info$/),
      answer: changeBody((body) => Object.assign(body, { api_base_url: ELSEWHERE, public_url: ELSEWHERE })),
    })
    const { page } = await browser.open(t, { url: `${proxy.url}/#/links`, signedInAs: owner })
    await button(page, linksText.createFirst).click()
    await page.getByLabel(linksText.form.label, { exact: true }).fill('Anything')
    await button(page, linksText.form.submit).click()
    await page.waitForTimeout(ACTING_MS)
    assert.ok(!(await page.content()).includes(ELSEWHERE), 'the secret of the link would go elsewhere')
    for (const field of await page.locator('input').all())
      assert.ok(!(await field.inputValue().catch(() => '')).includes(ELSEWHERE))
  })
})

describe('the sign-in page, with a malicious server', () => {
  /** Types e-mail and password; resolves with the paths of the requests once the page shows an error. */
  async function signIn(t: TestContext, ...tamperings: readonly Tampering[]) {
    const { email, password } = await world.person()
    const { page } = await browser.open(t, { url: `${proxy.url}/`, passwordsInNode: true })
    // It is honest until the page has asked who it is.
    await page.waitForLoadState('networkidle')
    proxy.tamper(...tamperings)
    const sent: string[] = []
    page.on('request', (request) => void sent.push(new URL(request.url()).pathname))
    await page.getByLabel(accountText.email, { exact: true }).fill(email)
    await page.getByLabel(accountText.password, { exact: true }).fill(password)
    await button(page, accountText.signIn.submit).click()
    await page.locator('[role=alert]:not(:empty)').first().waitFor()
    return { page, sent }
  }

  it('sends no proof when the server states one salt for everybody', async (t) => {
    const salt = Buffer.alloc(16).toString('base64')
    const { sent } = await signIn(t, {
      matches: isRequest('POST', /^\/v1\/auth\/kdf/),
      answer: changeBody((body) => Object.assign(body, { salt })),
    })
    assert.ok(!sent.includes('/v1/auth/login'))
  })

  it('sends no proof when a server at loopback states the name of another one', async (t) => {
    const { sent } = await signIn(t, {
      matches: isRequest('GET', /server-info$/),
      answer: changeBody((body) => Object.assign(body, { server_id: ELSEWHERE })),
    })
    assert.ok(!sent.includes('/v1/auth/login'))
  })
})
