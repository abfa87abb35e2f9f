/** A malicious server, played by a proxy, tampers with link keys and drops. The client must report each. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import { changeBody, flipAt, flipInBase64, isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, newOwner, type SentFile, sendFile } from '../../../../testing/people.ts'
import { assertPrompt } from '../../../../testing/prompt.ts'
import type { Message } from '../../../../testing/tamperingProxy.ts'
import { openLink } from '../guest.ts'
import { AnswerError } from '../http/errors.ts'
import type { CreatedLink, Owner } from '../owner.ts'
import { keyPairFromSeed } from '../seal/kem.ts'
import { createSealer } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { send } from '../send/send.ts'
import { SendError } from '../send/sendError.ts'
import { itemsOf } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { DropError } from './dropError.ts'
import { LinkError } from './linkError.ts'

const MIB = 1024 * 1024

const { proxy } = await sharedServer()
let owner: Owner
let link: CreatedLink

before(async () => {
  owner = await newOwner(proxy.url)
  link = await owner.createLink({ label: 'for tests' })
})

const content = isRequest('GET', /^\/v1\/drops\/[^/]+\/content$/)

const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  new Uint8Array(await new Response(stream).arrayBuffer())

describe('the drop key of a malicious server', () => {
  it('is detected before a byte is sent when it was swapped', async () => {
    const otherKey = Buffer.from(keyPairFromSeed(randomBytes(32)).publicKey).toString('base64')
    proxy.tamper({
      matches: isRequest('GET', /^\/d\/[^/]+$/),
      answer: changeBody((body) => {
        body.drop_pubkey = otherKey
      }),
    })
    const asked = proxy.seen.length
    await assert.rejects(openLink(link.url), (error) => error instanceof LinkError && error.reason === 'key_swapped')
    // Its name, and the link.
    assert.deepEqual(
      proxy.seen.slice(asked).map(({ method }) => method),
      ['GET', 'GET'],
    )
  })

  it('is refused when its suite was changed', async () => {
    proxy.tamper({
      matches: isRequest('GET', /^\/d\/[^/]+$/),
      answer: changeBody((body) => {
        body.crypto_suite_id = 2
      }),
    })
    await assert.rejects(openLink(link.url), (error) => error instanceof LinkError && error.reason === 'suite_unknown')
  })
})

describe('a link with a wrong character in it', () => {
  it('is refused at every place of the part after #, before anything is sealed', async () => {
    const start = link.url.indexOf('#') + 1
    for (let at = start; at < link.url.length; at += 1) {
      const mistyped = `${link.url.slice(0, at)}${link.url[at] === 'A' ? 'B' : 'A'}${link.url.slice(at + 1)}`
      await assert.rejects(openLink(mistyped), (error) => error instanceof LinkError, `character ${at - start}`)
    }
  })
})

describe('the list of links of a malicious server', () => {
  it('does not stop the page, however long it is', async () => {
    let [pages, listed] = [0, 0]
    const entry = {
      state: 'live',
      created_at: '2026-01-01T00:00:00.000Z',
      single_use: false,
      ...{ landed_files: 0, landed_bytes: 0, open_sessions: 0, open_bytes: 0, pending: 0 },
    }
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/drops\/links(\?|$)/),
      answer(message) {
        const length = Math.min(pages++ === 0 ? 50 : 250, 5_000 - listed)
        listed += length
        const links = Array.from({ length }, () => ({ ...entry, opaque_id: randomBytes(16).toString('hex') }))
        return { ...message, status: 200, body: Buffer.from(JSON.stringify({ links })) }
      },
    })
    // The keys of all of them take many seconds, in one piece.
    await assertPrompt(2_500, async () => {
      // A busy machine takes several runs.
      pages = 0
      listed = 0
      assert.equal((await owner.listLinks()).length, 5_000)
    })
    proxy.tamper()
    const own = (await owner.listLinks()).find(({ opaqueId }) => opaqueId === link.opaqueId)
    assert.equal(own?.url, link.url)
  })
})

describe('bytes that are altered on the way to the server', () => {
  const source = sourceOfBytes(randomBytes(2 * MIB))
  const chunk = isRequest('PATCH', /^\/d\//)

  it('are refused by their checksum and sent again', async () => {
    proxy.tamper({ matches: chunk, request: flipAt(1000), times: 1 })
    const state = await (await openLink(link.url)).prepare({ source })
    const landed = await send({ state, source })
    assert.equal(landed.ciphertextHash, state.ciphertextHash)
  })

  it('are detected by the hash of the whole when the checksum was altered too', async () => {
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
      (error) => error instanceof SendError && error.reason === 'session_failed' && error.remedy === 'restart',
    )
  })
})

describe('a drop of a malicious server', () => {
  let sent: SentFile
  before(async () => {
    sent = await sendFile(link.url, randomBytes(2 * MIB + 1000), { name: 'a plan.pdf' })
  })

  const sealFault = (reason: string) => (error: unknown) => error instanceof SealError && error.reason === reason

  async function itemOf(hash: string) {
    const items = await owner.inbox()
    const item = items.find(({ ciphertextHash }) => ciphertextHash === hash)
    assert.ok(item)
    return item
  }

  it('is listed with the fault of its altered header', async () => {
    const fresh = await sendFile(link.url, randomBytes(100))
    proxy.tamper({ matches: content, answer: flipAt(1500) })
    assert.equal((await itemOf(fresh.landed.ciphertextHash)).fault?.reason, 'header_altered')
    proxy.tamper()
    assert.equal((await itemOf(fresh.landed.ciphertextHash)).fault, undefined)
  })

  it('is not listed under its name when another drop has its id, and not at all when it is listed twice', async () => {
    const other = await sendFile(link.url, randomBytes(100), { name: 'another.pdf' })
    const { dropId, file } = await itemOf(sent.landed.ciphertextHash)
    assert.equal(file?.name, 'a plan.pdf')
    const listIt = (times: number) =>
      proxy.tamper({
        matches: isRequest('GET', /^\/v1\/drops(\?|$)/),
        answer: changeBody((body) => {
          assert.ok(Array.isArray(body.drops))
          const others = body.drops.find((drop) => drop.ciphertext_hash === other.landed.ciphertextHash)
          body.drops = [others, ...Array(times).fill({ ...others, drop_id: dropId })]
        }),
      })
    listIt(1)
    const items = await owner.inbox()
    assert.deepEqual(
      items.map((item) => item.file?.name),
      ['another.pdf', undefined],
    )
    listIt(2)
    await assert.rejects(owner.inbox(), AnswerError)
  })

  it('is listed with the fault of its altered encapsulated key', async () => {
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/drops(\?|$)/),
      answer: changeBody((body) => {
        assert.ok(Array.isArray(body.drops))
        for (const drop of body.drops) drop.kem_ct = flipInBase64(drop.kem_ct, 17)
      }),
    })
    const fresh = await newOwnerItem()
    assert.equal(fresh.fault?.reason, 'kem_ct_invalid')
  })

  /** An item of another account, whose header this client has not read yet. */
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

  it('fails at its end when the inbox lists another hash', async () => {
    const item = await itemOf(sent.landed.ciphertextHash)
    const opened = await owner.openDrop({ ...item, ciphertextHash: '0'.repeat(64) })
    await assert.rejects(read(opened.content), DropError)
  })

  it('fails at its end when the inbox lists another size', async () => {
    const item = await itemOf(sent.landed.ciphertextHash)
    const opened = await owner.openDrop({ ...item, sealedBytes: item.sealedBytes + 1 })
    await assert.rejects(read(opened.content), DropError)
  })

  it('does not open when its sender helps with another header than the one that was listed', async () => {
    const item = await itemOf(sent.landed.ciphertextHash)
    assert.ok(item.file)
    await assert.rejects(owner.openDrop({ ...item, file: { ...item.file, name: 'another.pdf' } }), DropError)
  })

  it('is never another drop under the id of a drop that was listed before', async () => {
    const other = await sendFile(link.url, randomBytes(100), { name: 'another.pdf' })
    const [chosen, swapped] = [await itemOf(sent.landed.ciphertextHash), await itemOf(other.landed.ciphertextHash)]
    const listing = isRequest('GET', /^\/v1\/drops(\?|$)/)
    // Between the two lists the drop is missing, so that its id could be forgotten.
    proxy.tamper({ matches: listing, times: 1, answer: changeBody((body) => void Object.assign(body, { drops: [] })) })
    assert.deepEqual(await owner.inbox(), [])
    proxy.tamper(
      {
        matches: listing,
        answer: changeBody((body) => {
          assert.ok(Array.isArray(body.drops))
          const entry = body.drops.find((drop) => drop.drop_id === swapped.dropId)
          body.drops = [{ ...entry, drop_id: chosen.dropId }]
        }),
      },
      {
        matches: isRequest('GET', new RegExp(`^/v1/drops/${chosen.dropId}/content$`)),
        answer: (message) => ({ ...message, status: 206, body: swappedBytes }),
      },
    )
    const swappedBytes = Buffer.from(await bytesOf(swapped.dropId))
    const [item] = await owner.inbox()
    assert.deepEqual([item?.dropId, item?.file, item?.fault?.reason], [chosen.dropId, undefined, 'another_drop'])
  })

  it('is never another drop under its id, also before its name was read', async () => {
    const { landed } = await sendFile(link.url, randomBytes(100))
    const reader = anotherClient(proxy.url, owner)
    const drops = await itemsOf(reader.pendingDrops())
    const chosen = drops.find(({ ciphertextHash }) => ciphertextHash === landed.ciphertextHash)
    assert.ok(chosen)
    const { fault } = await reader.describeDrop({ ...chosen, ciphertextHash: sent.landed.ciphertextHash })
    assert.equal(fault?.reason, 'another_drop')
    assert.ok((await reader.describeDrop(chosen)).file)
  })

  it('keeps the name that was shown, also when its sender helps to show another one under its id', async () => {
    const { state, landed } = await sendFile(link.url, randomBytes(100), { name: 'a harmless plan.pdf' })
    const { dropId, file } = await itemOf(landed.ciphertextHash)
    assert.equal(file?.name, 'a harmless plan.pdf')
    const listing = isRequest('GET', /^\/v1\/drops(\?|$)/)
    // Between the two lists the drop is missing, so that its name could be forgotten.
    proxy.tamper({ matches: listing, times: 1, answer: changeBody((body) => void Object.assign(body, { drops: [] })) })
    assert.deepEqual(await owner.inbox(), [])
    const { prefix } = await createSealer({
      key: fromBase64(state.key),
      purpose: 'original',
      contextId: fromHex(state.opaqueId),
      header: { ...state.header, name: 'a contract.pdf' },
      kemCt: fromBase64(state.kemCt),
    })
    proxy.tamper({
      matches: isRequest('GET', new RegExp(`^/v1/drops/${dropId}/content$`)),
      answer: (message) => ({ ...message, status: 206, body: Buffer.from(prefix) }),
    })
    const swapped = await itemOf(landed.ciphertextHash)
    assert.deepEqual([swapped.dropId, swapped.file, swapped.fault?.reason], [dropId, undefined, 'another_drop'])
    proxy.tamper()
    assert.equal((await itemOf(landed.ciphertextHash)).file?.name, 'a harmless plan.pdf')
  })

  it('keeps the key with which it was opened, also when its sender helps to show the same name under another one', async () => {
    const [one, other] = [await namesake(), await namesake()]
    const read = await itemOf(one)
    const { dropId, kemCt } = await itemOf(other)
    const prefix = Buffer.from(await bytesOf(dropId))
    proxy.tamper(
      {
        matches: isRequest('GET', /^\/v1\/drops(\?|$)/),
        answer: changeBody((body) => {
          assert.ok(Array.isArray(body.drops))
          for (const drop of body.drops) if (drop.drop_id === read.dropId) drop.kem_ct = kemCt
        }),
      },
      {
        matches: isRequest('GET', new RegExp(`^/v1/drops/${read.dropId}/content$`)),
        answer: (message) => ({ ...message, status: 206, body: prefix }),
      },
    )
    const swapped = await itemOf(one)
    assert.deepEqual([swapped.dropId, swapped.file, swapped.fault?.reason], [read.dropId, undefined, 'another_drop'])
  })

  async function namesake(): Promise<string> {
    return (await sendFile(link.url, randomBytes(100), { name: 'namesake.pdf' })).landed.ciphertextHash
  }

  async function bytesOf(dropId: string): Promise<ArrayBuffer> {
    const headers = { authorization: `Bearer ${owner.tokens().accessToken}` }
    return (await fetch(`${proxy.url}/v1/drops/${dropId}/content`, { headers })).arrayBuffer()
  }

  it('opens intact when nothing was changed', async () => {
    const opened = await owner.openDrop(await itemOf(sent.landed.ciphertextHash))
    assert.equal(opened.name, 'a plan.pdf')
    assert.deepEqual(await read(opened.content), new Uint8Array(sent.content))
  })
})
