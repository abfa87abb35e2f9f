/**
 * Whether a file may be destroyed. One honest yes, and then everything that a hostile server can say, and every way in which the file at hand can be
 * another: each has to be a no, with its reason.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { decodeManifest, manifestHash } from '@blindkeep/protocol/manifest'
import {
  assetAnswer,
  type Body,
  blobAnswer,
  devicesAnswer,
  giving,
  hashOf,
  keysAnswer,
  lyingBlobs,
  lyingReceipts,
  receiptsAnswer,
  swapping,
  verdictAnswer,
} from '../../../testing/assetLies.ts'
import { flipAt, flipInBase64, lie } from '../../../testing/lies.ts'
import { anotherClient, type Keeper, newKeeper, sendFile } from '../../../testing/people.ts'
import { type RunningServer, startServer } from '../../../testing/startServer.ts'
import { startTamperingProxy, type Tampering, type TamperingProxy } from '../../../testing/tamperingProxy.ts'
import type { AssetFacts } from './assetFacts.ts'
import { newDevice, signManifest } from './device.ts'
import type { Owner } from './owner.ts'
import { type Source, sourceOfBytes } from './source.ts'
import type { BeforeDestroying, DestroyAnswer, DoubtReason } from './verifyBeforeDestroying.ts'

const MIB = 1024 * 1024

let proxy: TamperingProxy
let server: RunningServer
let keeper: Keeper
let owner: Owner
let content: Uint8Array<ArrayBuffer>
/** The asset in question, and another one of the same account to take lies from. */
let asset: AssetFacts
let other: AssetFacts
let provenance: Uint8Array<ArrayBuffer>

before(async () => {
  proxy = await startTamperingProxy()
  server = await startServer({ publicUrl: proxy.url })
  proxy.forwardTo(server.url)
  keeper = await newKeeper(proxy.url)
  owner = keeper.owner
  other = await kept(new Uint8Array(randomBytes(2 * MIB)))
  content = new Uint8Array(randomBytes(2 * MIB))
  asset = await kept(content)
  provenance = new Uint8Array(await blobBytes(hashOf(asset, 'provenance')))
})
after(async () => {
  await server.stop()
  await proxy.close()
})
afterEach(() => proxy.tamper())

async function kept(bytes: Uint8Array<ArrayBuffer>): Promise<AssetFacts> {
  const { assetId } = await owner.upload({ source: sourceOfBytes(bytes), ...keeper, name: 'a plan.pdf' })
  return owner.asset(assetId)
}

async function blobBytes(hash: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${owner.tokens().accessToken}` }
  return Buffer.from(await (await fetch(`${server.url}/v1/blob/${hash}`, { headers })).arrayBuffer())
}

/** Asked by a client that knows the account and nothing else. */
async function ask(question: Partial<BeforeDestroying> = {}): Promise<DestroyAnswer> {
  const client = anotherClient(proxy.url, owner)
  return client.verifyBeforeDestroying({ assetId: asset.assetId, source: sourceOfBytes(content), ...question })
}

async function assertNo(reason: DoubtReason, question: Partial<BeforeDestroying> = {}): Promise<void> {
  const answer = await ask(question)
  assert.ok(!answer.safe, 'it said yes')
  assert.ok(answer.doubts.length > 0)
  for (const doubt of answer.doubts) {
    assert.equal(doubt.reason, reason, doubt.message)
    assert.match(doubt.message, /Keep your copy\.$/)
  }
}

describe('a file that the server keeps', () => {
  it('may be destroyed: its hashes, its signer and its receipts are told', async () => {
    const answer = await ask()
    assert.ok(answer.safe)
    const { examined, hashes, signed, receipts } = answer
    assert.equal(examined, 'deep')
    assert.deepEqual(
      hashes,
      Object.fromEntries(['original', 'metadata', 'provenance'].map((role) => [role, hashOf(asset, role)])),
    )
    assert.equal(signed.deviceId, keeper.device.deviceId)
    assert.equal(receipts.receipts.length, 3)
    const again = await ask({ pinned: receipts.keys })
    assert.ok(again.safe)
  })

  it('may be destroyed whatever its size', async () => {
    for (const size of [0, 1, 1_048_560, 1_048_561]) {
      const bytes = new Uint8Array(randomBytes(size))
      const { assetId } = await kept(bytes)
      assert.ok((await ask({ assetId, source: sourceOfBytes(bytes) })).safe, `${size} bytes`)
    }
  })

  it('may be destroyed by whoever sent it as a drop, once it was adopted', async () => {
    const { url } = await owner.createLink()
    const sent = await sendFile(url, content, { name: 'from a guest', note: 'n'.repeat(3000) })
    const drop = (await owner.inbox()).find(({ ciphertextHash }) => ciphertextHash === sent.landed.ciphertextHash)
    assert.ok(drop)
    const { assetId } = await owner.adoptDrop(drop, keeper)
    assert.ok((await ask({ assetId })).safe)
    await assertNo('file_differs', { assetId, source: sourceOfBytes(content.with(5, (content[5] ?? 0) ^ 1)) })
  })
})

describe('a file at hand that is another', () => {
  const flipped = (position: number) => content.with(position, (content[position] ?? 0) ^ 1)

  it('may not be destroyed when one byte differs, wherever it is', async () => {
    for (const position of [0, 1_048_559, 1_048_560, content.length - 1])
      await assertNo('file_differs', { source: sourceOfBytes(flipped(position)) })
  })

  it('may not be destroyed when it is shorter or longer', async () => {
    const others = [
      content.slice(0, -1),
      content.slice(0, 1_048_560),
      new Uint8Array(0),
      new Uint8Array([...content, 0]),
    ]
    for (const bytes of others) await assertNo('file_differs', { source: sourceOfBytes(bytes) })
  })

  it('may not be destroyed when it shrinks while it is compared', async () => {
    const source: Source = {
      size: content.length,
      read: async (from, to) => content.slice(from, Math.min(to, 1_048_570)),
    }
    await assertNo('file_differs', { source })
  })

  it('may not be destroyed when it is another asset’s file', async () => {
    await assertNo('file_differs', { assetId: other.assetId })
  })

  it('is no answer when it cannot be read', async () => {
    const source: Source = { size: content.length, read: () => Promise.reject(new Error('disk on fire')) }
    await assert.rejects(ask({ source }), /disk on fire/)
  })
})

interface LyingBlob extends Body {
  hash: string
  role: string
  stored: boolean
}
interface LyingVerdict extends Body {
  asset_id: string
  durable: boolean
  blobs: LyingBlob[]
}

describe('a verdict that does not answer', () => {
  const lying = (change: (verdict: LyingVerdict, body: Body) => void): Tampering => ({
    matches: verdictAnswer,
    answer: lie((body) => {
      assert.ok(Array.isArray(body.verdicts))
      change(body.verdicts[0], body)
    }),
  })
  const eachBlob = (change: (blob: LyingBlob) => void) => (verdict: LyingVerdict) => verdict.blobs.forEach(change)

  const lies: readonly (readonly [string, DoubtReason, (verdict: LyingVerdict, body: Body) => void])[] = [
    ['is about another asset', 'caught', (verdict) => Object.assign(verdict, { asset_id: other.assetId })],
    ['is none', 'caught', (_, body) => Object.assign(body, { verdicts: [] })],
    ['is one too many', 'caught', (verdict, body) => Object.assign(body, { verdicts: [verdict, verdict] })],
    ['is shortened', 'caught', (verdict) => verdict.blobs.pop()],
    ['is empty, as a conjunction over nothing is true', 'caught', (verdict) => Object.assign(verdict, { blobs: [] })],
    ['is lengthened', 'caught', (verdict) => verdict.blobs.push(...verdict.blobs.slice(0, 1))],
    ['has another order', 'caught', (verdict) => verdict.blobs.reverse()],
    [
      'is about another hash',
      'caught',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { hash: hashOf(other, 'original') }),
    ],
    [
      'is three times about one blob',
      'caught',
      (verdict) =>
        Object.assign(verdict, {
          blobs: verdict.blobs.flatMap((_, index, all) => (index === 2 ? [all[2], all[2], all[2]] : [])),
        }),
    ],
    [
      'is durable over a blob that is not stored',
      'caught',
      ({ blobs }) => Object.assign(blobs[1] ?? {}, { stored: false }),
    ],
    [
      'is durable over a blob that is not indexed',
      'caught',
      ({ blobs }) => Object.assign(blobs[2] ?? {}, { indexed: false }),
    ],
    [
      'is durable over a blob that is withheld',
      'caught',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { retrievable: false }),
    ],
    [
      'is durable over a blob that is damaged',
      'caught',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { deep: 'corrupt' }),
    ],
    [
      'is durable over a blob of unknown role',
      'caught',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { role: 'unknown' }),
    ],
    [
      'holds the file as a derivative',
      'not_durable',
      ({ blobs }) => Object.assign(blobs[0] ?? {}, { role: 'derivative' }),
    ],
    ['was not deep, though it was asked to be', 'not_examined', eachBlob((blob) => delete blob.deep)],
    ['was deep for two of three', 'not_examined', ({ blobs }) => delete blobs[1]?.deep],
    ['had no budget to be deep', 'rate_limited', eachBlob((blob) => Object.assign(blob, { deep: 'rate_limited' }))],
    [
      'had no budget for one of three',
      'rate_limited',
      ({ blobs }) => Object.assign(blobs[2] ?? {}, { deep: 'rate_limited' }),
    ],
    ['is not durable', 'not_durable', (verdict) => Object.assign(verdict, { durable: false })],
    [
      'misses a blob',
      'not_durable',
      (verdict) =>
        Object.assign(verdict, { durable: false }) &&
        Object.assign(verdict.blobs[1] ?? {}, { stored: false, retrievable: false }),
    ],
    [
      'found one damaged',
      'corrupt',
      (verdict) =>
        Object.assign(verdict, { durable: false }) &&
        Object.assign(verdict.blobs[0] ?? {}, { retrievable: false, deep: 'corrupt' }),
    ],
    ['is of no form', 'answer_broken', (verdict) => Object.assign(verdict, { durable: 'yes' })],
    ['is nothing', 'answer_broken', (_, body) => delete body.verdicts],
  ]
  for (const [how, reason, change] of lies)
    it(`is a no when it ${how}`, async () => {
      proxy.tamper(lying(change))
      await assertNo(reason)
    })

  it('is a yes without a deep scan only where the caller allows it', async () => {
    proxy.tamper(lying(eachBlob((blob) => Object.assign(blob, { deep: 'rate_limited' }))))
    const allowed = await ask({ depth: 'deep_if_allowed' })
    assert.ok(allowed.safe)
    assert.equal(allowed.examined, 'structural')
    proxy.tamper(lying(eachBlob((blob) => delete blob.deep)))
    await assertNo('not_examined', { depth: 'deep_if_allowed' })
    proxy.tamper()
    const structural = await ask({ depth: 'structural' })
    assert.ok(structural.safe)
    assert.equal(structural.examined, 'structural')
    const deep = await ask({ depth: 'deep_if_allowed' })
    assert.ok(deep.safe)
    assert.equal(deep.examined, 'deep')
  })

  it('is a no when nobody asked for the scan that it tells of', async () => {
    proxy.tamper(lying(eachBlob((blob) => Object.assign(blob, { deep: 'intact' }))))
    await assertNo('caught', { depth: 'structural' })
  })
})

describe('receipts, keys and blobs that do not fit', () => {
  const withoutRole = (role: string) => lyingBlobs((blobs) => blobs.filter((blob) => blob.role !== role))

  it('are a no when a receipt is missing, whichever it is, or all are', async () => {
    for (const index of [0, 1, 2]) {
      proxy.tamper(lyingReceipts((receipts) => receipts.toSpliced(index, 1)))
      await assertNo('caught')
    }
    proxy.tamper(lyingReceipts(() => []))
    await assertNo('caught')
  })

  it('are a no when the receipts are another asset’s', async () => {
    const { receipts } = await owner.assetReceipts(other.assetId)
    proxy.tamper(lyingReceipts(() => receipts.map(({ receipt }) => receipt)))
    await assertNo('caught')
  })

  it('are a no when the keys are not the ones remembered', async () => {
    const { keys } = await owner.assetReceipts(asset.assetId)
    proxy.tamper({
      matches: keysAnswer,
      answer: lie((body) => {
        assert.ok(Array.isArray(body.keys))
        for (const key of body.keys) key.public = flipInBase64(key.public, 1000)
      }),
    })
    await assertNo('caught', { pinned: keys })
    await assertNo('caught')
  })

  for (const role of ['original', 'metadata', 'provenance'])
    it(`are a no when the asset has no ${role}`, async () => {
      proxy.tamper(withoutRole(role))
      await assertNo('incomplete')
    })

  it('are a no when the provenance is of a device that the server made up', async () => {
    const device = newDevice()
    const { envelope } = decodeManifest(provenance)
    const forged = signManifest(device, { envelope: { ...envelope, created_by_device: device.deviceId } })
    const hash = manifestHash(forged)
    proxy.tamper(swapping('provenance', { hash, size: forged.length }), giving(hash, forged), {
      matches: devicesAnswer,
      answer: lie((body) => {
        assert.ok(Array.isArray(body.devices))
        body.devices.push({ ...body.devices[0], device_id: device.deviceId, public_key: toBase64(device.publicKey) })
      }),
    })
    await assertNo('caught')
  })

  it('are a no when the asset is told to be another one of the account’s, of the same size', async () => {
    proxy.tamper({
      matches: assetAnswer,
      answer: lie((body) => Object.assign(body, { blobs: other.blobs, envelope: other.envelope })),
    })
    await assertNo('caught')
  })

  it('are a no when the stored beginning is another blob’s, cut, or altered', async () => {
    const hash = hashOf(asset, 'original')
    proxy.tamper(giving(hash, await blobBytes(hashOf(other, 'original'))))
    await assertNo('unreadable')
    const whole = await blobBytes(hash)
    proxy.tamper(giving(hash, whole.subarray(0, 1000)))
    await assertNo('unreadable')
    for (const position of [0, 5, 30, 500]) {
      proxy.tamper({ matches: blobAnswer(hash), answer: flipAt(position) })
      await assertNo('unreadable')
    }
  })

  it('are a no when metadata or provenance are not given out as they are named', async () => {
    for (const role of ['metadata', 'provenance']) {
      proxy.tamper({ matches: blobAnswer(hashOf(asset, role)), answer: flipAt(300) })
      await assertNo('caught')
      proxy.tamper({ matches: blobAnswer(hashOf(asset, role)), answer: (message) => ({ ...message, status: 500 }) })
      await assertNo('refused')
    }
  })

  it('are a no when the original is told to have another size', async () => {
    proxy.tamper(lyingBlobs((blobs) => blobs.map((blob) => ({ ...blob, size: 10 }))))
    await assertNo('caught')
  })
})

describe('a server that does not answer', () => {
  const questions = [
    ['the asset', assetAnswer],
    ['its devices', devicesAnswer],
    ['its receipts', receiptsAnswer],
    ['its keys', keysAnswer],
    ['its verdict', verdictAnswer],
  ] as const
  for (const [what, matches] of questions)
    it(`is a no when it says nothing of ${what}, or fails`, async () => {
      proxy.tamper({ matches, lose: 'answer' })
      await assertNo('unreachable')
      proxy.tamper({ matches, instead: 500 })
      await assertNo('refused')
    })

  it('is a no for an asset that is not there', async () => {
    await assertNo('asset_missing', { assetId: keeper.device.deviceId })
    const { assetId } = await kept(content)
    await owner.deleteAsset(assetId)
    await assertNo('asset_missing', { assetId })
  })

  it('is a no when it has really lost the file', async () => {
    const bytes = new Uint8Array(randomBytes(100))
    const { assetId } = await kept(bytes)
    const source = sourceOfBytes(bytes)
    assert.ok((await ask({ assetId, source })).safe)
    await damage(hashOf(await owner.asset(assetId), 'original'))
    await assertNo('corrupt', { assetId, source })
  })

  it('rejects when the question is withdrawn', async () => {
    const controller = new AbortController()
    proxy.tamper({
      matches: (exchange) => {
        const isAsked = verdictAnswer(exchange)
        if (isAsked) controller.abort(new Error('never mind'))
        return isAsked
      },
      lose: 'answer',
    })
    await assert.rejects(ask({ signal: controller.signal }), /never mind/)
  })
})

/** Flips the last byte of what lies on the server's disk under this hash. */
async function damage(hash: string): Promise<void> {
  const directory = join(server.dataDir, 'blobs')
  const names = await readdir(directory, { recursive: true })
  const name = names.find((one) => one.includes(hash))
  assert.ok(name)
  const bytes = await readFile(join(directory, name))
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  await writeFile(join(directory, name), bytes)
}
