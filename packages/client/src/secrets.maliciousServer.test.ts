/** A malicious server wants secrets for another server. It knows all that the other one answers, such as the salt. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { changeBody, isRequest } from '../../../testing/maliciousServer.ts'
import { AccountError } from './account/accountError.ts'
import { logIn, registerOwner } from './account.ts'
import { normalPassphrase, openLink, send } from './guest.ts'
import { AddressError, AnswerError, ProblemError } from './http/errors.ts'
import { newRecoveryWords, recover } from './recovery.ts'
import { sourceOfBytes } from './seal/source.ts'
import { SendError } from './send/sendError.ts'
import { hasCode } from './testing/expectations.ts'
import { atServerInfo, HONEST, MALICIOUS, serverInfoWith, startTwoServers } from './testing/twoServers.ts'

const { honest, malicious, environment, derivations } = await startTwoServers()
const PASSWORD = 'one password for everything'
const person = (name: string) => ({ baseUrl: HONEST, email: `${name}@example.org`, password: PASSWORD, environment })
const atKdf = isRequest('POST', /^\/v1\/auth\/kdf$/)
/** What an honest document of that server says. */
const asItself = serverInfoWith({ server_id: MALICIOUS })

describe('a malicious server that passes everything on', () => {
  it('gets no secret of a password that signs in at the other server', async () => {
    const ada = person('ada')
    await registerOwner(ada)
    assert.ok((await logIn(ada)).owner)
    malicious.tamper(asItself)
    await assert.rejects(logIn({ ...ada, baseUrl: MALICIOUS }), hasCode('error.auth.invalid_credentials'))
  })

  it('gets no proof of the recovery words that sets a password at the other server', async () => {
    const bob = person('bob')
    const recovery = newRecoveryWords()
    await registerOwner({ ...bob, recovery })
    const words = (await recovery.confirm()).join(' ')
    malicious.tamper(asItself)
    const attempt = { ...bob, words, newPassword: 'another long sentence' }
    await assert.rejects(recover({ ...attempt, baseUrl: MALICIOUS }), hasCode('error.auth.recovery_invalid'))
    assert.ok((await logIn(bob)).owner)
    assert.ok((await recover(attempt)).owner)
  })

  it('gets no proof of a passphrase that opens a session of the same link at the other server', async () => {
    const owner = await registerOwner(person('gil'))
    const passphrase = 'open sesame'
    const { url } = await owner.createLink({ passphrase })
    const spelling = normalPassphrase(passphrase)
    malicious.tamper(asItself)
    const sendThrough = async (address: string) => {
      const source = sourceOfBytes(new Uint8Array(9))
      const link = await openLink(address, environment)
      return send({ state: await link.prepare({ source, passphrase: spelling }), source, environment })
    }
    await assert.rejects(
      sendThrough(url.replace(HONEST, MALICIOUS)),
      (error) => error instanceof SendError && error.reason === 'passphrase_refused',
    )
    const asked = honest.seen.length
    const link = await openLink(url, environment)
    for (const size of [1, 2]) await link.prepare({ source: sourceOfBytes(new Uint8Array(size)), passphrase: spelling })
    assert.equal(honest.seen.slice(asked).filter(atServerInfo).length, 1)
    await sendThrough(url)
  })

  it('gets nothing at all when it claims to be the other server, and the refusal names both', async () => {
    const cleo = person('cleo')
    const recovery = newRecoveryWords()
    await registerOwner({ ...cleo, recovery })
    const words = (await recovery.confirm()).join(' ')
    const [asked, derived] = [malicious.seen.length, derivations()]
    const isRefusal = (error: unknown) =>
      error instanceof AddressError && error.message.includes(HONEST) && error.message.includes(MALICIOUS)
    const there = { ...cleo, baseUrl: MALICIOUS }
    await assert.rejects(logIn(there), isRefusal)
    await assert.rejects(registerOwner(there), isRefusal)
    await assert.rejects(recover({ ...there, words, newPassword: PASSWORD }), isRefusal)
    assert.ok(malicious.seen.slice(asked).every(({ method }) => method === 'GET'))
    assert.equal(derivations(), derived)
  })

  it('gets nothing at loopback either, unless it names a loopback address', async () => {
    const finn = person('finn')
    await registerOwner(finn)
    const asked = malicious.seen.length
    await assert.rejects(logIn({ ...finn, baseUrl: malicious.url }), AddressError)
    assert.ok(malicious.seen.slice(asked).every(atServerInfo))
    malicious.tamper(serverInfoWith({ server_id: 'http://localhost:8080' }))
    // The secret is another one, so it is wrong at the honest server.
    await assert.rejects(
      logIn({ ...finn, baseUrl: malicious.url }),
      (error) => error instanceof ProblemError && error.code === 'error.auth.invalid_credentials',
    )
  })

  it('is refused when the name that it gives itself is no origin', async () => {
    for (const server_id of ['', 'keep.example', `${MALICIOUS}/`, `${HONEST}/path`, 'null', 'data:,x']) {
      malicious.tamper(serverInfoWith({ server_id }))
      await assert.rejects(
        logIn({ ...person('ada'), baseUrl: MALICIOUS }),
        (error) => error instanceof AnswerError || error instanceof AddressError,
      )
    }
  })
})

describe('the salt of a password', () => {
  const salts: Readonly<Record<string, Uint8Array>> = {
    '15 bytes': new Uint8Array(15).map((_, at) => at),
    '17 bytes': new Uint8Array(17).map((_, at) => at),
    'zeros only': new Uint8Array(16),
    'one byte repeated': new Uint8Array(16).fill(0x41),
  }
  for (const [what, salt] of Object.entries(salts))
    it(`is refused before anything is derived when it has ${what}`, async () => {
      const dora = person('dora')
      const before = derivations()
      honest.tamper({
        matches: atKdf,
        answer: changeBody((body) => {
          body.salt = toBase64(salt)
        }),
      })
      const asked = honest.seen.length
      await assert.rejects(logIn(dora), (error) => error instanceof AccountError && error.reason === 'salt_refused')
      assert.equal(derivations(), before)
      assert.ok(honest.seen.slice(asked).every(({ path }) => !path.endsWith('/login')))
    })

  it('enters together with the e-mail, in any spelling of it', async () => {
    const eve = person('eve')
    await registerOwner({ ...eve, email: ' Eve@EXAMPLE.org ' })
    assert.ok((await logIn({ ...eve, email: 'ｅｖｅ@example.org' })).owner)
    const before = derivations()
    for (const email of ['e\u200bve@example.org', 'еve@example.org', 'eve'])
      await assert.rejects(
        logIn({ ...eve, email }),
        (error) => error instanceof AccountError && error.reason === 'email_malformed',
      )
    assert.equal(derivations(), before)
  })
})
