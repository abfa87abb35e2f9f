/** A malicious server points elsewhere: in its documents, by redirects, and in the address for an authenticator. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { changeBody, isRequest } from '../../../testing/maliciousServer.ts'
import { type Keeper, newKeeper, sendFile } from '../../../testing/people.ts'
import { logIn, registerOwner } from './account.ts'
import { openLink } from './guest.ts'
import { AnswerError, NetworkError } from './http/errors.ts'
import { nodeEnvironment } from './node/nodeEnvironment.ts'
import type { Owner } from './owner.ts'
import { sourceOfBytes } from './seal/source.ts'
import { openShare } from './share.ts'
import { sharedServer } from './testing/sharedServer.ts'
import { HONEST, MALICIOUS, serverInfoWith, startTwoServers } from './testing/twoServers.ts'

const { proxy } = await sharedServer()
const { honest, malicious, environment } = await startTwoServers()
let keeper: Keeper
let owner: Owner

before(async () => {
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
})

describe('addresses that a client makes', () => {
  const lies: Readonly<Record<string, string>> = {
    'another origin': `${MALICIOUS}/v1`,
    'another path': `${proxy.url}/elsewhere/v1`,
    'no address': 'javascript:alert(1)',
  }
  for (const [what, address] of Object.entries(lies)) {
    const lie = serverInfoWith({ api_base_url: address })

    it(`are links of the owner’s own server when server-info names ${what}`, async () => {
      proxy.tamper(lie)
      const { url, opaqueId } = await owner.createLink()
      assert.ok(url.startsWith(`${proxy.url}/u/${opaqueId}#`), url.slice(0, 40))
      for (const listed of await owner.listLinks()) assert.ok(listed.url.startsWith(`${proxy.url}/u/`))
      await sendFile(url, new Uint8Array(5))
    })

    it(`are shares of the owner’s own server when server-info names ${what}`, async () => {
      const { assetId } = await owner.upload({ source: sourceOfBytes(new Uint8Array(randomBytes(50))), ...keeper })
      proxy.tamper(lie)
      const { url, opaqueId } = await owner.createShare([assetId])
      assert.ok(url.startsWith(`${proxy.url}/v/${opaqueId}#`), url.slice(0, 40))
      assert.equal((await openShare(url)).assets.length, 1)
    })
  }

  it('are refused as the address for an authenticator unless they are one', async () => {
    const person = {
      baseUrl: proxy.url,
      email: 'elsewhere@example.org',
      password: 'a long sentence of hers',
      environment: nodeEnvironment,
    }
    const enrolling = await registerOwner(person)
    for (const uri of [`${MALICIOUS}/sign-in?secret=AAAA`, 'otpauth://hotp/x?secret=AAAA', 'otpauth://totp/x', 'no']) {
      proxy.tamper({
        matches: isRequest('POST', /^\/v1\/auth\/totp\/enroll$/),
        answer: changeBody((body) => {
          body.provisioning_uri = uri
        }),
      })
      await assert.rejects(enrolling.enrollSecondFactor(person), AnswerError, uri)
    }
  })
})

describe('a server with another name than its address', () => {
  const names = [HONEST, `http://localhost:${new URL(proxy.url).port}`]
  for (const name of names)
    it(`is ${name}: gets no file of a guest, and its owner no link that guests cannot use`, async () => {
      const { url } = await owner.createLink()
      proxy.tamper(serverInfoWith({ server_id: name }))
      const before = proxy.seen.length
      const isRefusal = { name: 'AddressError', given: proxy.url, found: name }
      await assert.rejects(openLink(url), isRefusal)
      await assert.rejects(owner.createLink(), isRefusal)
      assert.deepEqual(
        proxy.seen.slice(before).filter(({ method }) => method !== 'GET'),
        [],
      )
    })
})

describe('a redirect', () => {
  const person = { baseUrl: HONEST, email: 'ada@example.org', password: 'a long sentence of hers', environment }
  const to = (Location: string, status = 307) => ({
    matches: () => true,
    answer: () => ({ status, headers: { location: Location }, body: Buffer.alloc(0) }),
  })
  const isRefusal = (error: unknown) =>
    error instanceof NetworkError && error.failure === 'redirected' && error.message.includes(HONEST)

  for (const status of [301, 302, 303, 307, 308])
    it(`with status ${status} is not followed, and the refusal names both servers and no path`, async () => {
      honest.tamper(to(`${MALICIOUS}/d/${'a'.repeat(32)}`, status))
      const link = `${HONEST}/u/${'a'.repeat(32)}#AQ${'A'.repeat(64)}`
      const before = malicious.seen.length
      await assert.rejects(
        openLink(link, environment),
        (error: Error) => isRefusal(error) && error.message.includes(MALICIOUS) && !error.message.includes('aaaa'),
      )
      await assert.rejects(logIn(person), isRefusal)
      assert.equal(malicious.seen.length, before)
    })

  it('is refused within the server too, and with a Location that is no address', async () => {
    for (const location of ['/v1/elsewhere', 'https://', '']) {
      honest.tamper(to(location))
      const asked = honest.seen.length
      await assert.rejects(logIn(person), isRefusal)
      assert.equal(honest.seen.length, asked + 1)
    }
  })

  it('is refused when a fetch followed it although it must not', async () => {
    honest.tamper(to(`${malicious.url}/elsewhere`))
    const following: typeof fetch = (input, init) => environment.fetch(input, { ...init, redirect: 'follow' })
    await assert.rejects(logIn({ ...person, environment: { ...environment, fetch: following } }), isRefusal)
  })
})
