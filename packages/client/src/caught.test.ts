/** A server that lies: each lie is told by a proxy in front of the real one, and the client has to say which it was. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, afterEach, before, describe, it } from 'node:test'
import { custodyOf, newOwner, type SentFile, sendFile } from '../../../testing/people.ts'
import { type RunningServer, startServer } from '../../../testing/startServer.ts'
import {
  type Exchanged,
  type Message,
  startTamperingProxy,
  type TamperingProxy,
} from '../../../testing/tamperingProxy.ts'
import { AccountError, logIn, registerOwner } from './account.ts'
import { AuditError, type AuditReason, fetchReceipt, type PinnedKeys } from './audit.ts'
import { DropError } from './dropError.ts'
import { ProblemError } from './errors.ts'
import { LinkError, openLink } from './guest.ts'
import { keyPairFromSeed } from './kem.ts'
import type { CreatedLink, Owner } from './owner.ts'
import { SealError } from './sealedBlob.ts'
import { send } from './send.ts'
import { SendError } from './sendStop.ts'
import { sourceOfBytes } from './source.ts'

const MIB = 1024 * 1024

let proxy: TamperingProxy
let server: RunningServer
let owner: Owner
let link: CreatedLink

before(async () => {
  proxy = await startTamperingProxy()
  server = await startServer({ publicUrl: proxy.url })
  proxy.forwardTo(server.url)
  owner = await newOwner(proxy.url)
  link = await owner.createLink({ label: 'for tests' })
})
afterEach(() => proxy.tamper())
after(async () => {
  await server.stop()
  await proxy.close()
})

const is = (method: string, form: RegExp) => (exchange: Exchanged) =>
  exchange.method === method && form.test(exchange.path)
const content = is('GET', /^\/v1\/drops\/[^/]+\/content$/)
const receipt = is('GET', /\/receipt$/)
const serverInfo = is('GET', /server-info$/)
const attestationKeys = is('GET', /attestation-keys$/)

/** Changes the members of a JSON answer. */
const lie = (change: (body: Record<string, unknown>) => void) => (message: Message) => {
  const body: Record<string, unknown> = JSON.parse(message.body.toString())
  change(body)
  return { ...message, body: Buffer.from(JSON.stringify(body)) }
}

const flipAt = (position: number) => (message: Message) => {
  const body = Buffer.from(message.body)
  const at = position < 0 ? body.length + position : position
  body[at] = (body[at] ?? 0) ^ 1
  return { ...message, body }
}

function flipInBase64(text: unknown, position: number): string {
  assert.ok(typeof text === 'string')
  const bytes = Buffer.from(text, 'base64')
  bytes[position] = (bytes[position] ?? 0) ^ 1
  return bytes.toString('base64')
}

const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  new Uint8Array(await new Response(stream).arrayBuffer())

describe('a swapped drop key', () => {
  it('is caught before a byte is sent', async () => {
    const otherKey = Buffer.from(keyPairFromSeed(randomBytes(32)).publicKey).toString('base64')
    proxy.tamper({
      matches: is('GET', /^\/d\/[^/]+$/),
      answer: lie((body) => {
        body.drop_pubkey = otherKey
      }),
    })
    const asked = proxy.seen.length
    await assert.rejects(openLink(link.url), (error) => error instanceof LinkError && error.reason === 'key_swapped')
    assert.deepEqual(
      proxy.seen.slice(asked).map(({ method }) => method),
      ['GET'],
    )
  })

  it('is caught in a suite that is told to be another', async () => {
    proxy.tamper({
      matches: is('GET', /^\/d\/[^/]+$/),
      answer: lie((body) => {
        body.crypto_suite_id = 2
      }),
    })
    await assert.rejects(openLink(link.url), (error) => error instanceof LinkError && error.reason === 'suite_unknown')
  })
})

describe('bytes that are altered on their way to the server', () => {
  const source = sourceOfBytes(randomBytes(2 * MIB))
  const chunk = is('PATCH', /^\/d\//)

  it('are refused by their checksum and sent again', async () => {
    proxy.tamper({ matches: chunk, request: flipAt(1000), times: 1 })
    const state = await (await openLink(link.url)).prepare({ source })
    const landed = await send({ state, source })
    assert.equal(landed.ciphertextHash, state.ciphertextHash)
  })

  it('are caught by the hash of the whole when the checksum was altered with them', async () => {
    proxy.tamper({
      matches: chunk,
      request: (message) => {
        const altered = flipAt(1000)(message)
        const checksum = createHash('sha256').update(altered.body).digest('hex')
        return { ...altered, headers: { ...altered.headers, 'x-service-checksum': checksum } }
      },
    })
    const state = await (await openLink(link.url)).prepare({ source })
    await assert.rejects(
      send({ state, source }),
      (error) => error instanceof SendError && error.reason === 'session_failed' && error.remedy === 'start_anew',
    )
  })
})

describe('a drop that the server altered', () => {
  let sent: SentFile
  before(async () => {
    sent = await sendFile(link.url, randomBytes(3 * MIB), { name: 'a plan.pdf' })
  })

  const sealFault = (reason: string) => (error: unknown) => error instanceof SealError && error.reason === reason

  async function itemOf(hash: string) {
    const items = await owner.inbox()
    const item = items.find(({ ciphertextHash }) => ciphertextHash === hash)
    assert.ok(item)
    return item
  }

  it('is listed with what was caught in its header', async () => {
    const fresh = await sendFile(link.url, randomBytes(100))
    proxy.tamper({ matches: content, answer: flipAt(1500) })
    assert.equal((await itemOf(fresh.landed.ciphertextHash)).fault?.reason, 'header_altered')
    proxy.tamper()
    assert.equal((await itemOf(fresh.landed.ciphertextHash)).fault, undefined)
  })

  it('is listed with what was caught in its encapsulated key', async () => {
    proxy.tamper({
      matches: is('GET', /^\/v1\/drops$/),
      answer: lie((body) => {
        assert.ok(Array.isArray(body.drops))
        for (const drop of body.drops) drop.kem_ct = flipInBase64(drop.kem_ct, 17)
      }),
    })
    const fresh = await newOwnerItem()
    assert.equal(fresh.fault?.reason, 'kem_ct_invalid')
  })

  /** Asks with another client of the same account, which has read no header yet. */
  async function newOwnerItem() {
    const other = await newOwner(proxy.url)
    const { url } = await other.createLink()
    await sendFile(url, randomBytes(10))
    const [item] = await other.inbox()
    assert.ok(item)
    return item
  }

  const alterations = [
    ['a flipped bit', flipAt(2 * MIB), 'altered'],
    [
      'a missing end',
      (message: Message) => ({ ...message, body: message.body.subarray(0, 2210 + 2 * MIB) }),
      'truncated',
    ],
    [
      'something after the end',
      (message: Message) => ({ ...message, body: Buffer.concat([message.body, Buffer.alloc(MIB)]) }),
      'altered',
    ],
  ] as const
  for (const [what, answer, reason] of alterations)
    it(`fails while it is read, for ${what}`, async () => {
      const item = await itemOf(sent.landed.ciphertextHash)
      proxy.tamper({ matches: content, answer })
      const opened = await owner.openDrop(item)
      await assert.rejects(read(opened.content), sealFault(reason))
    })

  it('fails at the end when the inbox names another hash', async () => {
    const item = await itemOf(sent.landed.ciphertextHash)
    const opened = await owner.openDrop({ ...item, ciphertextHash: '0'.repeat(64) })
    await assert.rejects(read(opened.content), DropError)
  })

  it('comes out whole when nobody altered it', async () => {
    const opened = await owner.openDrop(await itemOf(sent.landed.ciphertextHash))
    assert.equal(opened.name, 'a plan.pdf')
    assert.deepEqual(await read(opened.content), new Uint8Array(sent.content))
  })
})

describe('a receipt', () => {
  let sent: SentFile
  let other: SentFile
  let pinned: PinnedKeys
  before(async () => {
    sent = await sendFile(link.url, randomBytes(1000))
    other = await sendFile(link.url, randomBytes(1000))
    pinned = (await fetchReceipt({ custody: custodyOf(sent) })).keys
  })

  const audit = () => fetchReceipt({ custody: custodyOf(sent), pinned })
  const caught =
    (...reasons: AuditReason[]) =>
    (error: unknown) =>
      error instanceof AuditError && reasons.includes(error.reason)

  it('is what the server signed, for these bytes', async () => {
    const { signed } = await audit()
    assert.equal(signed.payload.ciphertext_hash, sent.landed.ciphertextHash)
  })

  it('is caught with any byte flipped', async () => {
    const { receipt: whole } = await audit()
    const bytes = Buffer.from(whole.receipt_cbor, 'base64').length
    // A prime stride meets every part: header, payload, both signatures.
    for (let position = 0; position < bytes; position += 61) {
      proxy.tamper({
        matches: receipt,
        answer: lie((body) => {
          body.receipt_cbor = flipInBase64(body.receipt_cbor, position)
        }),
      })
      await assert.rejects(audit(), caught('receipt_malformed', 'signature_invalid', 'unknown_key'), `byte ${position}`)
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
    it(`is caught with another ${name} than its signed bytes have`, async () => {
      proxy.tamper({
        matches: receipt,
        answer: lie((body) => {
          body[name] = value
        }),
      })
      await assert.rejects(audit(), caught('reading_differs'))
    })

  it('is caught when it is another drop’s', async () => {
    const { receipt: others } = await fetchReceipt({ custody: custodyOf(other) })
    proxy.tamper({ matches: receipt, answer: (message) => ({ ...message, body: Buffer.from(JSON.stringify(others)) }) })
    await assert.rejects(audit(), caught('wrong_hash'))
  })

  it('is caught when its key is gone from the list, with and without a memory of it', async () => {
    proxy.tamper({
      matches: attestationKeys,
      answer: lie((body) => {
        body.keys = []
      }),
    })
    await assert.rejects(audit(), caught('key_vanished'))
    await assert.rejects(fetchReceipt({ custody: custodyOf(sent) }), caught('unknown_key'))
  })

  it('is caught when its key was changed', async () => {
    proxy.tamper({
      matches: attestationKeys,
      answer: lie((body) => {
        assert.ok(Array.isArray(body.keys))
        for (const key of body.keys) key.public = flipInBase64(key.public, 1000)
      }),
    })
    await assert.rejects(audit(), caught('key_changed'))
    await assert.rejects(fetchReceipt({ custody: custodyOf(sent) }), caught('key_malformed'))
  })

  it('is caught when the server says that it is another one', async () => {
    const rename = lie((body) => {
      body.server_id = 'https://other.example'
    })
    proxy.tamper({ matches: serverInfo, answer: rename })
    await assert.rejects(audit(), caught('wrong_server'))
    proxy.tamper({ matches: attestationKeys, answer: rename })
    await assert.rejects(audit(), caught('wrong_server'))
  })
})

describe('what the server keeps for an account', () => {
  const password = 'correct horse battery staple'
  const email = 'caught@example.org'
  before(async () => {
    await registerOwner({ baseUrl: proxy.url, email, password })
  })

  it('opens with the password', async () => {
    const again = await logIn({ baseUrl: proxy.url, email, password })
    assert.equal(again.accountKey.length, 32)
  })

  it('is refused with another password', async () => {
    await assert.rejects(
      logIn({ baseUrl: proxy.url, email, password: 'wrong horse' }),
      (error) => error instanceof ProblemError && error.code === 'error.auth.invalid_credentials',
    )
  })

  it('is caught when the account key was altered', async () => {
    proxy.tamper({
      matches: is('GET', /^\/v1\/account$/),
      answer: lie((body) => {
        body.sealed_account_key = flipInBase64(body.sealed_account_key, 60)
      }),
    })
    await assert.rejects(
      logIn({ baseUrl: proxy.url, email, password }),
      (error) => error instanceof AccountError && error.reason === 'account_key_unreadable',
    )
  })

  it('is not asked for with a key derivation that the server chose', async () => {
    proxy.tamper({
      matches: is('POST', /^\/v1\/auth\/kdf$/),
      answer: lie((body) => {
        body.kdf_version = 2
      }),
    })
    const asked = proxy.seen.length
    await assert.rejects(
      logIn({ baseUrl: proxy.url, email, password }),
      (error) => error instanceof AccountError && error.reason === 'kdf_unknown',
    )
    assert.equal(proxy.seen.length, asked + 1)
  })

  it('is a label that was altered: the link is listed, and the label said to be a fault', async () => {
    proxy.tamper({
      matches: is('GET', /^\/v1\/drops\/links$/),
      answer: lie((body) => {
        assert.ok(Array.isArray(body.links))
        for (const entry of body.links) entry.sealed_label = flipInBase64(entry.sealed_label, 70)
      }),
    })
    const [listed] = await owner.listLinks()
    assert.equal(listed?.url, link.url)
    assert.equal(listed?.label, undefined)
    assert.ok(listed?.labelFault)
  })
})
