/** A malicious server wants proofs for another server. It knows all that the other one answers: the salt, a nonce. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { LINK_SECRET_BYTES, SALT_BYTES, SUITE_ID } from '@blindkeep/protocol/suites'
import { changeBody, flipInBase64, isRequest } from '../../../testing/maliciousServer.ts'
import { AccountError } from './account/accountError.ts'
import { logIn, registerOwner } from './account.ts'
import { makeFragment } from './drops/fragment.ts'
import { normalPassphrase, openLink, parseLink, send } from './guest.ts'
import { AddressError, AnswerError } from './http/errors.ts'
import { newRecoveryWords, recover } from './recovery.ts'
import { sourceOfBytes } from './seal/source.ts'
import { SendError } from './send/sendError.ts'
import { hasCode } from './testing/expectations.ts'
import { atServerInfo, HONEST, MALICIOUS, serverInfoWith, startTwoServers } from './testing/twoServers.ts'

const { honest, malicious, environment, derivations } = await startTwoServers()
const PASSWORD = 'one password for everything'
const person = (name: string) => ({ baseUrl: HONEST, email: `${name}@example.org`, password: PASSWORD, environment })
const isProofRefused = hasCode('error.auth.proof_invalid')
const atKdf = isRequest('POST', /^\/v1\/auth\/kdf$/)
/** What an honest document of that server says. */
const asItself = serverInfoWith({ server_id: MALICIOUS })

describe('a malicious server that passes everything on', () => {
  it('gets no proof of a password that signs in at the other server', async () => {
    const ada = person('ada')
    await registerOwner(ada)
    assert.ok((await logIn(ada)).owner)
    malicious.tamper(asItself)
    await assert.rejects(logIn({ ...ada, baseUrl: MALICIOUS }), isProofRefused)
  })

  it('gets no proof of the recovery words that sets a password at the other server', async () => {
    const bob = person('bob')
    const recovery = newRecoveryWords()
    await registerOwner({ ...bob, recovery })
    const words = (await recovery.confirm()).join(' ')
    malicious.tamper(asItself)
    const attempt = { ...bob, words, newPassword: 'another long sentence' }
    await assert.rejects(recover({ ...attempt, baseUrl: MALICIOUS }), isProofRefused)
    assert.ok((await logIn(bob)).owner)
    assert.ok((await recover(attempt)).owner)
  })

  it('gets no proof of a passphrase that opens the other server’s link, through a link of its own with the same id', async () => {
    const owner = await registerOwner(person('gil'))
    const passphrase = 'open sesame'
    const { url } = await owner.createLink({ passphrase })
    const { opaqueId, fragment } = parseLink(url)
    const answer = await environment.fetch(`${HONEST}/d/${opaqueId}`)
    const dropPublicKey = fromBase64((await answer.json()).drop_pubkey)
    const linkKey = { suiteId: SUITE_ID, opaqueId: fromHex(opaqueId), dropPublicKey }
    const sendThrough = async (baseUrl: string, linkSecret: Uint8Array) => {
      const source = sourceOfBytes(new Uint8Array(9))
      const parts = { baseUrl, opaqueId, fragment: makeFragment({ ...linkKey, linkSecret }) }
      const link = await openLink(parts, environment)
      return send({
        state: await link.prepare({ source, passphrase: normalPassphrase(passphrase) }),
        source,
        environment,
      })
    }
    malicious.tamper(serverInfoWith({ server_id: MALICIOUS }), {
      matches: isRequest('GET', /^\/d\/[0-9a-f]{32}$/),
      answer: changeBody((body) => {
        body.sealed_title = null
      }),
    })
    await assert.rejects(
      sendThrough(MALICIOUS, new Uint8Array(LINK_SECRET_BYTES)),
      (error) => error instanceof SendError && error.reason === 'passphrase_refused',
    )
    await sendThrough(HONEST, fragment.linkSecret)
  })

  it('gets neither a proof nor a key when it claims to be the other server, and the refusal names both', async () => {
    const cleo = person('cleo')
    const recovery = newRecoveryWords()
    await registerOwner({ ...cleo, recovery })
    const words = (await recovery.confirm()).join(' ')
    const asked = malicious.seen.length
    const isRefusal = (error: unknown) =>
      error instanceof AddressError && error.message.includes(HONEST) && error.message.includes(MALICIOUS)
    const there = { ...cleo, baseUrl: MALICIOUS }
    await assert.rejects(logIn(there), isRefusal)
    await assert.rejects(registerOwner(there), isRefusal)
    await assert.rejects(recover({ ...there, words, newPassword: PASSWORD }), isRefusal)
    assert.ok(malicious.seen.slice(asked).every(atServerInfo), 'it learns no e-mail')
  })

  it('gets neither at loopback, unless it names a loopback address', async () => {
    const finn = person('finn')
    await registerOwner(finn)
    const asked = malicious.seen.length
    await assert.rejects(logIn({ ...finn, baseUrl: malicious.url }), AddressError)
    assert.ok(malicious.seen.slice(asked).every(atServerInfo))
    malicious.tamper(serverInfoWith({ server_id: 'http://localhost:8080' }))
    // The proof is for that name, so the honest server refuses it.
    await assert.rejects(logIn({ ...finn, baseUrl: malicious.url }), isProofRefused)
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

describe('a proof', () => {
  const atNonce = isRequest('POST', /^\/v1\/auth\/nonce$/)
  const atLogin = isRequest('POST', /^\/v1\/auth\/login$/)
  const atPassword = isRequest('POST', /^\/v1\/auth\/password$/)

  it('of a sign-in is good for no other operation, not even with a token of the account', async () => {
    const hana = person('hana')
    await registerOwner(hana)
    let proof: unknown
    honest.tamper({
      matches: atLogin,
      request: changeBody((body) => {
        proof = body.proof
      }),
    })
    const { owner } = await logIn(hana)
    assert.ok(owner && proof)
    const headers = { Authorization: `Bearer ${owner.tokens().accessToken}`, 'Content-Type': 'application/json' }
    for (const [method, path] of [
      ['DELETE', '/v1/account'],
      ['POST', '/v1/auth/totp/enroll'],
    ] as const) {
      const answer: Response = await environment.fetch(HONEST + path, {
        method,
        headers,
        body: JSON.stringify({ proof }),
      })
      assert.deepEqual([answer.status, (await answer.json()).code], [401, 'error.auth.proof_invalid'])
    }
    await owner.deleteAccount(hana)
  })

  it('of a new password is worthless for another one', async () => {
    const ivo = person('ivo')
    const owner = await registerOwner(ivo)
    for (const member of ['sign_in_key', 'salt', 'sealed_account_key']) {
      honest.tamper({
        matches: atPassword,
        request: changeBody((body) => {
          body[member] = flipInBase64(body[member], 5)
        }),
      })
      await assert.rejects(owner.changePassword({ present: PASSWORD, next: 'another long sentence' }), isProofRefused)
    }
    assert.ok((await logIn(ivo)).owner)
  })

  it('with a nonce that is not the server’s is refused by it', async () => {
    const jana = person('jana')
    await registerOwner(jana)
    for (const at of [0, 7, 8, 23, 24, 55]) {
      honest.tamper({
        matches: atNonce,
        answer: changeBody((body) => {
          body.nonce = flipInBase64(body.nonce, at)
        }),
      })
      await assert.rejects(logIn(jana), isProofRefused)
    }
  })

  it('is not made for a nonce that is no base64, or is too long', async () => {
    const kai = person('kai')
    await registerOwner(kai)
    for (const nonce of ['', 'AA=A', 'AAAA\0AAA', 'https://keep.example', 'A'.repeat(132), 7, null]) {
      honest.tamper({
        matches: atNonce,
        answer: changeBody((body) => {
          body.nonce = nonce
        }),
      })
      const asked = honest.seen.length
      await assert.rejects(
        logIn(kai),
        (error) => error instanceof AnswerError && error.operation === 'nonce',
        JSON.stringify(nonce),
      )
      assert.ok(!honest.seen.slice(asked).some(atLogin))
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

  it('gives two people with one password different keys, although the server gives them one salt', async () => {
    const salt = toBase64(Uint8Array.from({ length: SALT_BYTES }, (_, at) => at))
    const keys = new Set<string>()
    honest.tamper(
      { matches: atKdf, answer: changeBody((body) => Object.assign(body, { salt })) },
      {
        matches: isRequest('POST', /^\/v1\/auth\/login$/),
        request: ({ headers, body }) => {
          keys.add(JSON.parse(body.toString()).proof.key)
          return { headers, body }
        },
      },
    )
    for (const name of ['lea', 'max', 'lea'])
      await assert.rejects(logIn(person(name)), hasCode('error.auth.invalid_credentials'))
    assert.equal(keys.size, 2)
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
