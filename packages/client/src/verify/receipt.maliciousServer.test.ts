/**
 * A malicious server tampers with receipts and keys; a proxy in front of a real server plays it. The audit must report
 * each tampering with its reason. Has its own server, because it rotates keys.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cp, rm } from 'node:fs/promises'
import { after, afterEach, before, describe, it } from 'node:test'
import { startBehindProxy } from '../../../../testing/behindProxy.ts'
import { changeBody, flipInBase64, isRequest } from '../../../../testing/maliciousServer.ts'
import { custodyOf, newOwner, type SentFile, sendFile } from '../../../../testing/people.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import type { CreatedLink, Owner } from '../owner.ts'
import { AuditError, type AuditReason, fetchReceipt, type PinnedKeys } from './audit.ts'

const { proxy, server, stop } = await startBehindProxy()
let owner: Owner
let link: CreatedLink

before(async () => {
  owner = await newOwner(proxy.url)
  link = await owner.createLink({ label: 'for tests' })
})
afterEach(() => proxy.tamper())
after(stop)

const receipt = isRequest('GET', /\/receipt$/)
const serverInfo = isRequest('GET', /server-info$/)
const attestationKeys = isRequest('GET', /attestation-keys$/)

describe('a receipt of a malicious server', () => {
  let sent: SentFile
  let other: SentFile
  let pinned: PinnedKeys
  before(async () => {
    // The other one first: only a receipt that is not the first of its server has a prior_receipt_hash.
    other = await sendFile(link.url, randomBytes(1000))
    sent = await sendFile(link.url, randomBytes(1000))
    pinned = (await fetchReceipt({ custody: custodyOf(sent) })).keys
  })

  const audit = () => fetchReceipt({ custody: custodyOf(sent), pinned })
  const hasReason =
    (...reasons: AuditReason[]) =>
    (error: unknown) =>
      error instanceof AuditError && reasons.includes(error.reason)

  it('is what the server signed, for these bytes, when nothing was changed', async () => {
    const { signed } = await audit()
    assert.equal(signed.payload.ciphertext_hash, sent.landed.ciphertextHash)
  })

  it('is refused with any flipped byte', async () => {
    const { receipt: whole } = await audit()
    const bytes = Buffer.from(whole.receipt_cbor, 'base64').length
    // A prime stride reaches every part: header, payload, both signatures.
    for (let position = 0; position < bytes; position += 61) {
      proxy.tamper({
        matches: receipt,
        answer: changeBody((body) => {
          body.receipt_cbor = flipInBase64(body.receipt_cbor, position)
        }),
      })
      await assert.rejects(
        audit(),
        hasReason('receipt_malformed', 'signature_invalid', 'unknown_key'),
        `byte ${position}`,
      )
    }
  })

  const readings: readonly (readonly [string, unknown])[] = [
    ['size', 999],
    ['receipt_seq', 4711],
    ['received_at', '2026-01-01T00:00:00.000Z'],
    ['ciphertext_hash', '0'.repeat(64)],
    ['prior_receipt_hash', null],
    ['blob_role', 'metadata'],
  ]
  for (const [name, value] of readings)
    it(`is refused with another ${name} than its signed bytes have`, async () => {
      proxy.tamper({
        matches: receipt,
        answer: changeBody((body) => {
          body[name] = value
        }),
      })
      await assert.rejects(audit(), hasReason('reading_differs'))
    })

  it('is refused when it is another drop’s', async () => {
    const { receipt: others } = await fetchReceipt({ custody: custodyOf(other) })
    proxy.tamper({ matches: receipt, answer: (message) => ({ ...message, body: Buffer.from(JSON.stringify(others)) }) })
    await assert.rejects(audit(), hasReason('wrong_hash'))
  })

  it('is refused when its key is missing from the list, with and without pinned keys', async () => {
    proxy.tamper({
      matches: attestationKeys,
      answer: changeBody((body) => {
        body.keys = []
      }),
    })
    await assert.rejects(audit(), hasReason('key_vanished'))
    await assert.rejects(fetchReceipt({ custody: custodyOf(sent) }), hasReason('unknown_key'))
  })

  it('is refused when its key was changed', async () => {
    proxy.tamper({
      matches: attestationKeys,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.keys))
        for (const key of body.keys) key.public = flipInBase64(key.public, 1000)
      }),
    })
    await assert.rejects(audit(), hasReason('key_changed'))
    await assert.rejects(fetchReceipt({ custody: custodyOf(sent) }), hasReason('key_malformed'))
  })

  it('is refused when the answering server only relays to another one', async () => {
    // The server calls itself by the proxy's address, so a direct request reaches a server with another name.
    const custody = { ...custodyOf(sent), baseUrl: server.url }
    await assert.rejects(fetchReceipt({ custody }), { name: 'AddressError', given: server.url, found: proxy.url })
  })

  it('is refused when the server names another origin', async () => {
    const rename = changeBody((body) => {
      body.server_id = 'https://other.example'
    })
    proxy.tamper({ matches: serverInfo, answer: rename })
    await assert.rejects(audit(), { name: 'AddressError', found: 'https://other.example' })
    proxy.tamper({ matches: attestationKeys, answer: rename })
    await assert.rejects(audit(), hasReason('wrong_server'))
  })
})

describe('a receipt of a server that has rotated its attestation key', () => {
  let sent: SentFile
  let later: SentFile
  /** Before the rotation. */
  let pinned: PinnedKeys
  let rotated: PinnedKeys
  before(async () => {
    sent = await sendFile(link.url, randomBytes(1000))
    pinned = (await fetchReceipt({ custody: custodyOf(sent) })).keys
    assert.equal((await server.command(['keys', 'rotate'])).status, 0)
    later = await sendFile(link.url, randomBytes(1000))
    rotated = (await fetchReceipt({ custody: custodyOf(later), pinned })).keys
  })

  const changeKeys = (change: (keys: Record<string, unknown>[]) => void, ...more: readonly Tampering[]) =>
    proxy.tamper(...more, {
      matches: attestationKeys,
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.keys))
        change(body.keys)
      }),
    })
  const hasReason = (reason: AuditReason) => (error: unknown) => error instanceof AuditError && error.reason === reason

  it('is valid, under the old and the new key, for a client with the list from before', async () => {
    assert.deepEqual([pinned.keys.length, rotated.keys.length], [1, 2])
    const before = await fetchReceipt({ custody: custodyOf(sent), pinned })
    const after = await fetchReceipt({ custody: custodyOf(later), pinned: rotated })
    assert.deepEqual([before.keys.keys, after.keys.keys], [rotated.keys, rotated.keys])
    assert.deepEqual(
      [before, after].map(({ signed }) => signed.keyId),
      rotated.keys.map(({ keyId }) => keyId),
    )
    assert.equal(rotated.keys[0]?.activeTo, rotated.keys[1]?.activeFrom)
  })

  it('is refused when it is dated outside the time of its key', async () => {
    const { received_at: at } = (await fetchReceipt({ custody: custodyOf(sent) })).receipt
    const [justBefore, justAfter] = [-1, 1].map((ms) => new Date(Date.parse(at) + ms).toISOString())
    const noStatements = { matches: isRequest('GET', /\/moves$/), instead: 404 }
    const { keyChanges: _, ...unsigned } = pinned
    const check = (known: { pinned?: PinnedKeys } = {}) => fetchReceipt({ custody: custodyOf(sent), ...known })
    const endEarlier = ([old]: Record<string, unknown>[]) => void Object.assign(old ?? {}, { active_to: justBefore })
    changeKeys(endEarlier, noStatements)
    await assert.rejects(check({ pinned: unsigned }), hasReason('key_not_active'))
    // The statement of the next key has the instant, too.
    changeKeys(endEarlier)
    await assert.rejects(check({ pinned: unsigned }), hasReason('moves_malformed'))
    changeKeys(([old]) => Object.assign(old ?? {}, { active_from: justAfter }))
    await assert.rejects(check(), hasReason('key_not_active'))
  })
})

describe('a server that has rotated its signing key', () => {
  it('keeps a signed-in client signed in', async () => {
    const before = (await (await fetch(`${server.url}/.well-known/service/server-info`)).json()).signing_key
    const { accessToken: access } = owner.tokens()
    assert.equal((await server.command(['keys', 'rotate', '--signing'])).status, 0)
    // Within five seconds.
    const asked = () => fetch(`${server.url}/v1/quota`, { headers: { Authorization: `Bearer ${access}` } })
    while ((await asked()).status === 200);
    assert.notEqual((await (await fetch(`${server.url}/.well-known/service/server-info`)).json()).signing_key, before)
    await owner.quota()
    assert.notEqual(owner.tokens().accessToken, access)
  })
})

/** Last, because it sets the server back. */
describe('a server whose disk was set back to an earlier state', () => {
  it('is detected by a client that remembers a receipt from between, and by no other', async () => {
    const earlier = `${server.dataDir}-earlier`
    await server.terminate()
    await cp(server.dataDir, earlier, { recursive: true })
    await server.restart()
    const between = await sendFile(link.url, randomBytes(1000))
    const { keys: pinned } = await fetchReceipt({ custody: custodyOf(between) })

    await server.terminate()
    await rm(server.dataDir, { recursive: true })
    await cp(earlier, server.dataDir, { recursive: true })
    await rm(earlier, { recursive: true })
    await server.restart()
    const after = await sendFile(link.url, randomBytes(1000))
    const forked = (error: unknown) => error instanceof AuditError && error.reason === 'chain_forked'
    await assert.rejects(fetchReceipt({ custody: custodyOf(after), pinned }), forked)
    assert.equal((await fetchReceipt({ custody: custodyOf(after) })).keys.newestReceipt?.hash.length, 64)
  })
})
