/** Uploads of the owner into albums of a real server, over bad connections and through crashes. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { instantOf } from '@blindkeep/protocol/ids'
import { anotherClient, type Keeper, newKeeper, newOwner } from '../../../../testing/people.ts'
import { startServer } from '../../../../testing/startServer.ts'
import type { Exchanged } from '../../../../testing/tamperingProxy.ts'
import { systemEnvironment } from '../ground/environment.ts'
import type { Owner } from '../owner.ts'
import { type Source, sourceOfBytes } from '../seal/source.ts'
import { SendError, type SendStopReason } from '../send/sendError.ts'
import { createSendTurns } from '../send/sendTurns.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import type { UploadProgress } from './sendBundle.ts'
import { parseUploadState, type UploadState } from './uploadState.ts'

const MIB = 1024 * 1024
/** The system's environment without waiting. */
const environment = { ...systemEnvironment, wait: async () => undefined }

const { proxy, server } = await sharedServer()
let keeper: Keeper
let owner: Owner

before(async () => {
  keeper = await newKeeper(proxy.url, environment)
  owner = keeper.owner
})

const stopped = (reason: SendStopReason) => (error: unknown) => error instanceof SendError && error.reason === reason
const isCreation = (exchange: Exchanged) => exchange.method === 'POST' && exchange.path === '/v1/upload'
const isChunk = (exchange: Exchanged) => exchange.method === 'PATCH' && exchange.path.startsWith('/v1/upload/')
const file = (bytes: number) => new Uint8Array(randomBytes(bytes))
const prepared = (source: Source) =>
  owner.prepareUpload({ source, album: keeper.album, device: keeper.device, name: 'file.bin' })

async function contentOf(of: Owner, assetId: string): Promise<Uint8Array> {
  const { content } = await of.openAsset(assetId)
  return new Uint8Array(await new Response(content).arrayBuffer())
}

/** Complete, readable by a client that has only the account, and with a receipt for each blob. */
async function assertKept(state: UploadState, content: Uint8Array): Promise<void> {
  const other = anotherClient(proxy.url, owner)
  const { file_id: assetId } = state.envelope
  assert.ok((await other.asset(assetId)).complete)
  assert.deepEqual(await contentOf(other, assetId), content)
  assert.equal((await other.assetReceipts(assetId)).receipts.length, 3)
}

/** Uploads until the server has acknowledged more than `bytes`, and returns the state from its stored JSON. */
async function paused(source: Source, state: UploadState, bytes = 0): Promise<UploadState> {
  const controller = new AbortController()
  let kept = JSON.stringify(state)
  const sending = owner.finishUpload({
    state,
    source,
    signal: controller.signal,
    onState: (changed) => {
      kept = JSON.stringify(changed)
    },
    onProgress: (progress) => {
      if (progress.bytes > bytes) controller.abort(new Error('paused'))
    },
  })
  await assert.rejects(sending, /paused/)
  return parseUploadState(JSON.parse(kept))
}

describe('a file that is chosen again', () => {
  it('is compared as a whole, also where the server says that it has the bytes', async () => {
    const content = file(3 * MIB)
    const source = sourceOfBytes(content)
    const state = await paused(source, await prepared(source), 2 * MIB)
    await owner.requireSameFile({ state, source })
    const other = sourceOfBytes(content.with(0, (content[0] ?? 0) ^ 1))
    await assert.rejects(owner.requireSameFile({ state, source: other }), stopped('file_changed'))
    const longer = sourceOfBytes(new Uint8Array([...content, 0]))
    await assert.rejects(owner.requireSameFile({ state, source: longer }), stopped('file_changed'))
  })
})

describe('a file in an album', () => {
  it('is read back with its facts, for any size', async () => {
    for (const size of [0, 1, 1_048_560, 1_048_561, 3 * MIB]) {
      const content = file(size)
      const facts = {
        name: 'naïve \u202Efdp.exe',
        type: 'image/jpeg',
        note: 'Ärger 🦊',
        modifiedAt: '2026-01-02T03:04:05+01:00',
      }
      const uploaded = await owner.upload({ source: sourceOfBytes(content), ...keeper, ...facts })
      const opened = await anotherClient(proxy.url, owner).openAsset(uploaded.assetId)
      assert.deepEqual(new Uint8Array(await new Response(opened.content).arrayBuffer()), content)
      const { name, type, note, sender, modifiedAt } = opened
      assert.deepEqual(
        { name, type, note, sender, modifiedAt, size: opened.size, albumId: opened.albumId },
        { ...facts, modifiedAt: '2026-01-02T02:04:05.000Z', sender: undefined, size, albumId: keeper.album },
      )
      assert.equal(opened.signed?.deviceId, keeper.device.deviceId)
    }
  })

  it('reports rising progress, and completion once', async () => {
    const seen: UploadProgress[] = []
    await owner.upload({
      source: sourceOfBytes(file(3 * MIB)),
      ...keeper,
      onProgress: (progress) => seen.push(progress),
    })
    const sending = seen.filter(({ phase }) => phase !== 'preparing')
    assert.ok(seen.length > sending.length)
    assert.deepEqual(
      sending.map(({ bytes }) => bytes),
      sending.map(({ bytes }) => bytes).sort((a, b) => a - b),
    )
    const { of } = sending[0] ?? {}
    assert.deepEqual(
      sending.filter(({ phase }) => phase === 'complete'),
      [{ phase: 'complete', bytes: of, of }],
    )
    assert.deepEqual(sending.at(-1)?.phase, 'complete')
  })

  it('is sealed under another key each time', async () => {
    const content = file(1000)
    const states = [await prepared(sourceOfBytes(content)), await prepared(sourceOfBytes(content))]
    assert.equal(new Set(states.map(({ envelope }) => envelope.file_id)).size, 2)
    assert.equal(new Set(states.map(({ envelope }) => envelope.ciphertext_hash)).size, 2)
  })
})

describe('two uploads of an owner to a server that has room for one', () => {
  it('land one after the other: the refused one leaves nothing at the server while it waits', async () => {
    const [content, other] = [file(3 * MIB), file(2 * MIB)]
    const [state, otherState] = [await prepared(sourceOfBytes(content)), await prepared(sourceOfBytes(other))]
    const turns = createSendTurns()
    const waits = Promise.withResolvers<void>()
    const source = sourceOfBytes(content)
    // The first file is under way until the other one waits.
    const first = owner.finishUpload({
      state,
      turns,
      source: {
        ...source,
        async read(from, to) {
          await waits.promise
          return source.read(from, to)
        },
      },
    })
    const sessions: string[] = []
    const code = 'error.storage.full'
    const body = Buffer.from(JSON.stringify({ type: `/problems/${code}`, title: 'Full', status: 500, code }))
    proxy.tamper({
      matches: (exchange) => isChunk(exchange) && exchange.path.endsWith(sessions[0] ?? 'not yet'),
      answer: () => ({ headers: { 'content-type': 'application/problem+json' }, status: 500, body }),
      times: 1,
    })
    const second = owner.finishUpload({
      state: otherState,
      turns,
      source: sourceOfBytes(other),
      onState: ({ original: { uploadId } }) => void (uploadId !== sessions.at(-1) && sessions.push(String(uploadId))),
      onProgress: ({ trouble }) => (trouble === 'little_room' ? waits.resolve() : undefined),
    })
    await waits.promise
    const isCancel = ({ method, path }: Exchanged) => method === 'DELETE' && path.endsWith(sessions[0] ?? 'none')
    assert.equal(proxy.seen.find(isCancel)?.status, 204)
    await Promise.all([first, second])
    assert.equal(sessions.length, 2)
    await assertKept(state, content)
    await assertKept(otherState, other)
  })
})

describe('a connection that loses messages', () => {
  it('creates one session for each blob when answers are lost', async () => {
    const content = file(3 * MIB)
    const state = await prepared(sourceOfBytes(content))
    const from = proxy.seen.length
    const once = { lose: 'answer', times: 2 } as const
    proxy.tamper({ matches: isCreation, ...once }, { matches: isChunk, ...once })
    const uploaded = await owner.finishUpload({ state, source: sourceOfBytes(content) })
    await assertKept(state, content)
    assert.equal(new Set(Object.values(uploaded.uploads)).size, 3)
    assert.ok(proxy.seen.slice(from).filter(isCreation).length > 3)
    await owner.assetReceipts(uploaded.assetId, uploaded)
  })

  it('survives a crash and restart of the server', async () => {
    const content = file(6 * MIB)
    const state = await prepared(sourceOfBytes(content))
    let restarted: Promise<void> | undefined
    const client = anotherClient(proxy.url, owner)
    await client.finishUpload({
      state,
      source: sourceOfBytes(content),
      onProgress: ({ bytes }) => {
        if (bytes > 2 * MIB) restarted ??= server.restart()
      },
    })
    assert.ok(restarted)
    await restarted
    await assertKept(state, content)
  })
})

describe('an interrupted upload', () => {
  it('resumes in another process from the stored JSON, and sends no acknowledged chunk twice', async () => {
    const content = file(4 * MIB)
    const state = await prepared(sourceOfBytes(content))
    const from = proxy.seen.length
    const kept = await paused(sourceOfBytes(content), state)
    await anotherClient(proxy.url, owner).finishUpload({ state: kept, source: sourceOfBytes(content) })
    await assertKept(state, content)
    const original = proxy.seen
      .slice(from)
      .filter(isChunk)
      .map(({ path, headers }) => `${path} ${headers['x-service-offset']}`)
    assert.equal(new Set(original).size, original.length)
  })

  it('resumes from the state before anything was sent: asset, role and hash identify the session', async () => {
    const content = file(4 * MIB)
    const state = await prepared(sourceOfBytes(content))
    await paused(sourceOfBytes(content), state, 2 * MIB)
    await owner.finishUpload({
      state: parseUploadState(JSON.parse(JSON.stringify(state))),
      source: sourceOfBytes(content),
    })
    await assertKept(state, content)
  })

  it('is finished by sending only the missing blobs', async () => {
    const content = file(1000)
    const source = sourceOfBytes(content)
    const state = await prepared(source)
    const kept = await paused(source, state, state.original.size - 1)
    const { file_id: assetId } = state.envelope
    const asset = await owner.asset(assetId)
    assert.equal(asset.complete, false)
    assert.equal((await owner.openAsset(assetId, { allowUnsigned: true })).name, 'file.bin')
    const from = proxy.seen.length
    await owner.finishUpload({ state: kept, source: sourceOfBytes(new Uint8Array(0)) })
    await assertKept(state, content)
    assert.equal(proxy.seen.slice(from).filter(isChunk).length, 2, 'the original was not sent again')
  })

  it('sends nothing when it was complete', async () => {
    const content = file(1000)
    const state = await prepared(sourceOfBytes(content))
    await owner.finishUpload({ state, source: sourceOfBytes(content) })
    const from = proxy.seen.length
    const again = await owner.finishUpload({ state, source: sourceOfBytes(content) })
    assert.equal(again.assetId, state.envelope.file_id)
    assert.deepEqual(
      proxy.seen.slice(from).filter((exchange) => isCreation(exchange) || isChunk(exchange)),
      [],
    )
  })

  it('stops before it sends a byte of a changed file', async () => {
    const content = file(4 * MIB)
    const state = await prepared(sourceOfBytes(content))
    const kept = await paused(sourceOfBytes(content), state)
    for (const changed of [content.with(content.length - 1, (content.at(-1) ?? 0) ^ 1), content.subarray(1)]) {
      await assert.rejects(
        owner.finishUpload({ state: kept, source: sourceOfBytes(changed) }),
        (error) => stopped('file_changed')(error) && error instanceof SendError && error.remedy === 'prepare_again',
      )
    }
    await assert.rejects(owner.asset(state.envelope.file_id), /No such asset/)
    await owner.cancelUpload(kept)
  })

  it('uses a new session when the former one does not exist, without hashing again', async () => {
    const content = file(4 * MIB)
    const state = await prepared(sourceOfBytes(content))
    const kept = await paused(sourceOfBytes(content), state)
    await anotherClient(proxy.url, owner).cancelUpload(kept)
    const uploaded = await owner.finishUpload({ state: kept, source: sourceOfBytes(content) })
    assert.notEqual(uploaded.uploads.original, kept.original.uploadId)
    await assertKept(state, content)
  })

  it('frees its quota when it is cancelled', async () => {
    const other = await newKeeper(proxy.url)
    const source = sourceOfBytes(file(4 * MIB))
    const state = await other.owner.prepareUpload({ source, ...other })
    const controller = new AbortController()
    const sending = other.owner.finishUpload({
      state,
      source,
      signal: controller.signal,
      onProgress: ({ bytes }) => (bytes > 0 ? controller.abort(new Error('enough')) : undefined),
    })
    await assert.rejects(sending, /enough/)
    assert.equal((await other.owner.quota()).used, state.original.size)
    await other.owner.cancelUpload(state)
    assert.equal((await other.owner.quota()).used, 0)
  })

  it('has a state that is accepted only when it is complete, and for its own account and server', async () => {
    const source = sourceOfBytes(file(10))
    const state = await prepared(source)
    const text = JSON.stringify(state)
    assert.deepEqual(parseUploadState(JSON.parse(text)), state)
    for (const name of Object.keys(state)) {
      const { [name]: _, ...rest } = JSON.parse(text)
      assert.throws(() => parseUploadState(rest), RangeError, name)
    }
    assert.throws(() => parseUploadState({ ...state, version: 2 }), RangeError)
    const stranger = await newOwner(proxy.url)
    await assert.rejects(stranger.finishUpload({ state, source }), RangeError)
    await assert.rejects(
      owner.finishUpload({ state: { ...state, baseUrl: 'https://other.example' }, source }),
      RangeError,
    )
  })
})

describe('the server refuses', () => {
  const small = sourceOfBytes(file(10))

  it('a manifest from a clock that is far off', async () => {
    const aYearAgo = systemEnvironment.now() - 365 * 86_400_000
    const offClock = { ...environment, now: () => instantOf(aYearAgo) }
    const late = anotherClient(proxy.url, owner, offClock)
    await assert.rejects(late.upload({ ...keeper, source: small }), stopped('manifest_refused'))
  })

  it('a file beyond the quota, reported as the account’s own', async () => {
    const full = await startServer({ env: { QUOTA_HARD_BYTES: '5000' } })
    try {
      const other = await newKeeper(full.url)
      await assert.rejects(
        other.owner.upload({ ...other, source: sourceOfBytes(file(10_000)) }),
        (error) => stopped('storage_full')(error) && error instanceof SendError && error.remedy === 'resume',
      )
    } finally {
      await full.stop()
    }
  })
})
