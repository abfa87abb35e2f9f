/** Adoption of drops at a real server, with lost answers and crashes in between. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { anotherClient, type Keeper, newKeeper, type SentFile, sendFile } from '../../../../testing/people.ts'
import type { Exchanged, Tampering } from '../../../../testing/tamperingProxy.ts'
import { AssetIncomplete } from '../assets/assetError.ts'
import { DropError } from '../drops/dropError.ts'
import { systemEnvironment } from '../ground/environment.ts'
import { NetworkError } from '../http/errors.ts'
import type { DescribedDrop, Owner } from '../owner.ts'
import { SealError } from '../seal/sealError.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf, finish, hasCode } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'

/** The system's environment without waiting. */
const environment = { ...systemEnvironment, wait: async () => undefined }
const MIB = 1024 * 1024

const { proxy } = await sharedServer()
let keeper: Keeper
let owner: Owner
let url: string

before(async () => {
  keeper = await newKeeper(proxy.url, environment)
  owner = keeper.owner
  url = (await owner.createLink()).url
})

const isAdoption = ({ method, path }: Exchanged) => method === 'POST' && path.endsWith('/adopt')
const isCreation = ({ method, path }: Exchanged) => method === 'POST' && path === '/v1/upload'
const isChunk = ({ method, path }: Exchanged) => method === 'PATCH' && path.startsWith('/v1/upload/')

/** The process crashes at this request, which never reaches the server. */
function crashingAt(matches: (exchange: Exchanged) => boolean, controller: AbortController): Tampering {
  return {
    matches: (exchange) => {
      const isHere = matches(exchange)
      if (isHere) controller.abort(new Error('crashed'))
      return isHere
    },
    lose: 'request',
  }
}

const FACTS = {
  name: 'naïve.pdf',
  type: 'application/pdf',
  note: 'Ärger 🦊',
  sender: 'Gustav',
  fields: [['Matter number', '2026/17']],
} as const

async function arrived(bytes = 1000): Promise<{ sent: SentFile; drop: DescribedDrop }> {
  const sent = await sendFile(url, randomBytes(bytes), FACTS)
  const drop = await dropOf(owner, sent.landed)
  return { sent, drop }
}

async function assertKept(assetId: string, { content: sent }: SentFile): Promise<void> {
  const other = anotherClient(proxy.url, owner)
  const { content, ...opened } = await other.openAsset(assetId)
  assert.deepEqual(new Uint8Array(await new Response(content).arrayBuffer()), new Uint8Array(sent))
  const { name, type, note, sender, fields } = opened
  assert.deepEqual({ name, type, note, sender, fields }, FACTS)
  assert.ok(opened.signed)
  assert.ok((await other.asset(assetId)).complete)
  // For its landing, adoption, metadata and provenance.
  assert.equal((await other.assetReceipts(assetId)).receipts.length, 4)
}

describe('a drop that is adopted', () => {
  it('leaves the inbox and becomes an asset with the guest’s facts at every client', async () => {
    const { sent, drop } = await arrived(3 * MIB)
    const used = (await owner.quota()).used
    const { assetId, albumId } = await owner.adoptDrop(drop, keeper)
    await assertKept(assetId, sent)
    assert.equal(albumId, keeper.album)
    assert.ok(!(await owner.inbox()).some(({ dropId }) => dropId === drop.dropId))
    const { blobs, envelope, drop: origin } = await owner.asset(assetId)
    assert.equal(origin?.dropId, drop.dropId)
    assert.equal(envelope.key_mode, 'wrapped')
    const added = blobs.filter(({ role }) => role !== 'original').reduce((sum, { size }) => sum + size, 0)
    assert.equal((await owner.quota()).used, used + added)
  })

  it('is adopted once when the answer is lost', async () => {
    const { sent, drop } = await arrived()
    proxy.tamper({ matches: isAdoption, lose: 'answer', times: 1 })
    const { assetId } = await owner.adoptDrop(drop, keeper)
    await assertKept(assetId, sent)
  })

  it('is adopted when requests are lost or the server fails for a while', async () => {
    const { sent, drop } = await arrived()
    proxy.tamper({ matches: isAdoption, lose: 'request', times: 2 }, { matches: isAdoption, instead: 503, times: 2 })
    const { assetId } = await owner.adoptDrop(drop, keeper)
    await assertKept(assetId, sent)
  })

  it('is not adopted by an unreachable server, and can be later', async () => {
    const { sent, drop } = await arrived()
    proxy.tamper({ matches: isAdoption, lose: 'request' })
    await assert.rejects(owner.adoptDrop(drop, keeper), NetworkError)
    proxy.tamper()
    await assertKept((await owner.adoptDrop(drop, keeper)).assetId, sent)
  })

  it('is looked for under the id of the asset before it is adopted, except at the first try', async () => {
    for (const isFirstTry of [true, undefined]) {
      const { sent, drop } = await arrived()
      const assetId = owner.newAssetId()
      const seen = proxy.seen.length
      await owner.adoptDrop(drop, { ...keeper, assetId, isFirstTry })
      const sentBefore = proxy.seen.slice(seen, proxy.seen.findLastIndex(isAdoption))
      assert.equal(
        sentBefore.some(({ method, path }) => method === 'GET' && path === `/v1/assets/${assetId}`),
        isFirstTry === undefined,
      )
      await assertKept(assetId, sent)
    }
  })

  it('cannot be adopted twice, or after it was discarded', async () => {
    const [first, second] = [await arrived(), await arrived()]
    await owner.adoptDrop(first.drop, keeper)
    await assert.rejects(owner.adoptDrop(first.drop, keeper), hasCode('error.drop.not_found'))
    await owner.discardDrop(second.drop.dropId)
    await assert.rejects(owner.adoptDrop(second.drop, keeper), hasCode('error.drop.not_found'))
  })

  it('is refused when its file is not the one that was shown', async () => {
    const { drop } = await arrived()
    const shown = { ...drop, file: { ...drop.file, name: 'another.pdf' } }
    await assert.rejects(owner.adoptDrop(shown, keeper), DropError)
    assert.ok((await owner.inbox()).some(({ dropId }) => dropId === drop.dropId))
  })

  it('is refused before any request when it does not open', async () => {
    const { drop } = await arrived()
    const from = proxy.seen.length
    const other = await owner.createLink()
    await assert.rejects(owner.adoptDrop({ ...drop, opaqueId: other.opaqueId }, keeper), SealError)
    await assert.rejects(owner.adoptDrop({ ...drop, sealedBytes: drop.sealedBytes - 1 }, keeper), SealError)
    assert.deepEqual(proxy.seen.slice(from).filter(isAdoption), [])
  })
})

describe('an interrupted adoption', () => {
  /** The process crashes between the adoption and the rest. */
  async function interrupted(): Promise<{ sent: SentFile; drop: DescribedDrop; assetId: string }> {
    const { sent, drop } = await arrived(2 * MIB)
    const assetId = owner.newAssetId()
    const controller = new AbortController()
    proxy.tamper(crashingAt(isCreation, controller))
    await assert.rejects(owner.adoptDrop(drop, { ...keeper, assetId, signal: controller.signal }), /crashed/)
    proxy.tamper()
    return { sent, drop, assetId }
  }

  it('opens with the drop’s own key before a device has signed it', async () => {
    const { sent, assetId } = await interrupted()
    assert.equal((await owner.asset(assetId)).complete, false)
    const other = anotherClient(proxy.url, owner)
    await assert.rejects(other.openAsset(assetId), { name: 'AssetUnsigned' })
    const { content, signed, name } = await other.openAsset(assetId, { allowUnsigned: true })
    assert.deepEqual(new Uint8Array(await new Response(content).arrayBuffer()), new Uint8Array(sent.content))
    assert.deepEqual([signed, name], [undefined, FACTS.name])
  })

  it('is completed by another device of the account', async () => {
    const { sent, assetId } = await interrupted()
    const other = anotherClient(proxy.url, owner)
    const device = await other.addDevice()
    const completed = await finish(other, assetId, { device })
    assert.deepEqual(Object.keys(completed.uploads), ['metadata', 'provenance'])
    await assertKept(assetId, sent)
    assert.equal((await owner.openAsset(assetId)).signed?.deviceId, device.deviceId)
    assert.deepEqual((await finish(owner, assetId, keeper)).uploads, {})
  })

  it('resumes with the same call and the same id', async () => {
    const { sent, drop, assetId } = await interrupted()
    const known = owner.newAssetId()
    assert.notEqual(known, assetId)
    const same = (await owner.asset(assetId)).assetId
    assert.equal((await owner.adoptDrop(drop, { ...keeper, assetId: same })).assetId, assetId)
    await assertKept(assetId, sent)
  })

  it('is completed although a session for its metadata is open', async () => {
    const { sent, assetId } = await interrupted()
    const controller = new AbortController()
    // The session exists, without a byte.
    proxy.tamper(crashingAt(isChunk, controller))
    await assert.rejects(finish(owner, assetId, { ...keeper, signal: controller.signal }), /crashed/)
    proxy.tamper()
    await finish(owner, assetId, keeper)
    await assertKept(assetId, sent)
  })

  it('uses the existing metadata when only the manifest is missing', async () => {
    const { sent, assetId } = await interrupted()
    const controller = new AbortController()
    const stopping = finish(owner, assetId, {
      ...keeper,
      signal: controller.signal,
      onProgress: ({ bytes }) => (bytes > 0 ? controller.abort(new Error('crashed again')) : undefined),
    })
    await assert.rejects(stopping, /crashed again/)
    assert.deepEqual(
      (await owner.asset(assetId)).blobs.map(({ role }) => role),
      ['original', 'metadata'],
    )
    assert.deepEqual(Object.keys((await finish(owner, assetId, keeper)).uploads), ['provenance'])
    await assertKept(assetId, sent)
  })
})

describe('an interrupted upload', () => {
  const FILE = { name: FACTS.name, type: FACTS.type, note: FACTS.note }

  async function interrupted(bytes: number) {
    const content = new Uint8Array(randomBytes(bytes))
    const source = sourceOfBytes(content)
    const state = await owner.prepareUpload({ source, ...keeper, ...FILE })
    const controller = new AbortController()
    const stopping = owner.finishUpload({
      state,
      source,
      signal: controller.signal,
      onProgress: ({ bytes: sent }) =>
        sent >= state.original.size ? controller.abort(new Error('crashed')) : undefined,
    })
    await assert.rejects(stopping, /crashed/)
    return { content, source, state, assetId: state.envelope.file_id }
  }

  it('is completed by another device without the file once its original exists', async () => {
    const { content, source, state, assetId } = await interrupted(2 * MIB)
    const other = anotherClient(proxy.url, owner)
    const device = await other.addDevice()
    await finish(other, assetId, { device })
    const opened = await owner.openAsset(assetId)
    assert.deepEqual(new Uint8Array(await new Response(opened.content).arrayBuffer()), content)
    const { name, type, note } = opened
    assert.deepEqual({ name, type, note }, FILE)
    assert.equal(opened.signed?.deviceId, device.deviceId)
    // The device that began the upload finds it finished.
    const from = proxy.seen.length
    assert.equal((await owner.finishUpload({ state, source })).assetId, assetId)
    assert.deepEqual(proxy.seen.slice(from).filter(isCreation), [])
  })

  it('names no session of a blob that another device has sent', async () => {
    const source = sourceOfBytes(new Uint8Array(randomBytes(100)))
    const controller = new AbortController()
    let kept = await owner.prepareUpload({ source, ...keeper })
    const stopping = owner.finishUpload({
      state: kept,
      source,
      signal: controller.signal,
      onState: (changed) => {
        kept = changed
        if (changed.metadata.uploadId !== undefined) controller.abort(new Error('crashed'))
      },
    })
    await assert.rejects(stopping, /crashed/)
    await finish(anotherClient(proxy.url, owner), kept.envelope.file_id, keeper)
    const uploaded = await owner.finishUpload({ state: kept, source })
    assert.deepEqual(uploaded.uploads, { original: kept.original.uploadId })
    await owner.assetReceipts(uploaded.assetId, uploaded)
  })

  it('cannot be completed before its original exists', async () => {
    const content = new Uint8Array(randomBytes(100))
    const source = sourceOfBytes(content)
    const state = await owner.prepareUpload({ source, ...keeper })
    await assert.rejects(finish(owner, state.envelope.file_id, keeper), hasCode('error.asset.not_found'))
    await owner.finishUpload({ state, source })
    proxy.tamper({
      matches: ({ method, path }) => method === 'GET' && /^\/v1\/assets\/[^/]+$/.test(path),
      answer: (message) => {
        const body = JSON.parse(message.body.toString())
        body.blobs = body.blobs.filter(({ role }: { role: string }) => role !== 'original')
        return { ...message, body: Buffer.from(JSON.stringify(body)) }
      },
    })
    const { file_id: assetId } = state.envelope
    const isIncomplete = (error: unknown) => error instanceof AssetIncomplete && error.missing.includes('original')
    await assert.rejects(finish(owner, assetId, keeper), isIncomplete)
    await assert.rejects(owner.openAsset(assetId), isIncomplete)
  })
})
