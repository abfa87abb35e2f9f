/** The next owner of a server's former name shows the server's own pages there, and relays all that they ask. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { changeBody } from '../../../../testing/maliciousServer.ts'
import { moveServer } from '../../../../testing/moveServer.ts'
import { startTamperingProxy, type Tampering } from '../../../../testing/tamperingProxy.ts'
import { account as text } from '../../src/text/en/account.ts'
import { problems } from '../../src/text/en/problems.ts'
import { button, field, inside, section, signIn } from '../accountPage.ts'
import { useBrowser, type Visit } from '../browser.ts'
import { addAuthenticator } from '../virtualAuthenticator.ts'
import { startWorld } from '../world.ts'

const browser = useBrowser()

const isSignIn = (path: string) => /^\/v1\/auth\/(?:login|refresh|passkey\/login)$/.test(path)

async function addPasskey({ page }: Visit, password: string): Promise<void> {
  const part = section(page, text.passkeys.title)
  await part.getByRole('button', { name: text.passkeys.open }).click()
  await part.getByLabel(text.page.presentPassword, { exact: true }).fill(password)
  await part.getByRole('button', { name: text.passkeys.next }).click()
  await part.getByRole('button', { name: text.passkeys.make }).click()
  await page.getByText(text.passkeys.added).waitFor()
}

const said = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor()

describe('a former name in other hands', () => {
  it('opens no session for an owner who comes by: kept session, password and passkey are of no use there', async (t) => {
    const relay = await startTamperingProxy()
    t.after(() => relay.close())
    const former = relay.url.replace('127.0.0.1', 'old.localhost')
    const env = { INSECURE_PUBLIC_URL: 'allowed', REGISTRATION: 'open' }
    const world = await startWorld({ publicUrl: former, env })
    t.after(() => world.stop())
    relay.forwardTo(world.server.url)
    const person = await world.person()
    const visit = await browser.open(t, {
      ...{ url: `${former}/#/account`, signedInAs: person.owner },
    })
    const { page } = visit
    await addAuthenticator(visit)
    await addPasskey(visit, person.password)

    const present = `http://new.localhost:${world.server.port}`
    await moveServer(world.server, present)
    const request: Tampering['request'] = ({ headers, body }) => ({
      ...{ headers: { ...headers, host: new URL(present).host }, body },
    })
    const passing: Tampering = { matches: () => true, request }
    relay.tamper(passing)
    const before = relay.seen.length
    const sessions = () => relay.seen.slice(before).filter(({ path, status }) => isSignIn(path) && status === 200)

    await page.reload()
    await said(page, problems.address(former, present))
    assert.equal(await field(page, text.password).count(), 0)
    assert.equal(await button(page, text.signIn.passkey).count(), 0)

    const asItself: Tampering = {
      ...{ matches: ({ path }) => path.startsWith('/.well-known/'), request },
      answer: changeBody((body) => void Object.assign(body, { server_id: former, public_url: former })),
    }
    relay.tamper(asItself, passing)
    await page.reload()
    await signIn(page, person)
    await said(page, problems.codes['error.auth.proof_invalid'])
    await page.reload()
    await button(page, text.signIn.passkey).click()
    await said(page, problems.codes['error.auth.proof_invalid'])
    assert.deepEqual(sessions(), [])
    assert.equal(await inside(page).count(), 0)
  })
})
