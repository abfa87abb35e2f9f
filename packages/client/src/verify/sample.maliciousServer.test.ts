import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { beforeEach, describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { blobAnswer, changedBlobs, changedVerdict, hashOf } from '../../../../testing/maliciousAssets.ts'
import { anotherClient, quickEnvironment, sendFile } from '../../../../testing/people.ts'
import type { Exchanged, Message, Tampering } from '../../../../testing/tamperingProxy.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import type { PrefixStore } from '../assets/knownPrefixes.ts'
import type { Environment } from '../ground/environment.ts'
import type { Owner } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { dropOf } from '../testing/expectations.ts'
import { replaceAsset, sealReplacement } from '../testing/replaceAsset.ts'
import { createVerificationWorld } from '../testing/verificationWorld.ts'
import { MAX_ANSWER_MS } from './askSegment.ts'
import type { SignedOriginal } from './population.ts'
import { type SampleRun, type SampleSegments, sampleRecord, sampleTally } from './sample.ts'
import { chooseSegments } from './segmentChoice.ts'

/** What a sealed original has before its segments, with one header block. */
const PREFIX = 1 + 16 + 32 + 1 + 1024 + 16
const MIB = 1024 * 1024
const SEED = '5a'.repeat(32)
/** The two files of the world have 3 segments each: with this seed, 40 draws meet all six. */
const SAMPLES = 40

const world = await createVerificationWorld()
/** The two files, by their ids, as the choice orders them. */
const sorted: readonly AssetFacts[] = [world.asset, world.other].sort((a, b) => (a.assetId < b.assetId ? -1 : 1))
let kept: Map<string, string>
/** Resolves when the client's patience for one segment is over. */
let patience = Promise.withResolvers<void>()

const environment: Environment = {
  ...quickEnvironment,
  randomBytes: (count) => (count === 32 ? fromHex(SEED) : quickEnvironment.randomBytes(count)),
  wait: async (ms, signal) => {
    if (ms === MAX_ANSWER_MS) await patience.promise
    signal?.throwIfAborted()
  },
}

const store = (): PrefixStore => ({
  load: async (blob) => kept.get(blob),
  save: async (blob, prefix) => void kept.set(blob, prefix),
})

function client(): Owner {
  const owner = anotherClient(world.proxy.url, world.keeper.owner, environment)
  owner.keepPrefixes(store())
  return owner
}

async function originalsOf(owner: Owner, assets: readonly AssetFacts[]): Promise<readonly SignedOriginal[]> {
  const originals: SignedOriginal[] = []
  await owner.verifyHeld({
    assetIds: assets.map(({ assetId }) => assetId),
    depth: 'structural',
    onSigned: (original) => originals.push(original),
  })
  return originals
}

/** Samples the two files; the server is honest until the population is fixed. */
async function sampled(
  tamperings: readonly Tampering[] = [],
  {
    owner = client(),
    assets = sorted,
    ...question
  }: Partial<SampleSegments> & { owner?: Owner; assets?: readonly AssetFacts[] } = {},
): Promise<SampleRun> {
  const originals = await originalsOf(owner, assets)
  world.proxy.tamper(...tamperings)
  return await owner.sampleSegments({ originals, samples: SAMPLES, ...question })
}

/** The different results of one segment of one file. */
function resultsOf({ samples }: SampleRun, assetId: string, segment: number): readonly string[] {
  const results = samples
    .filter((sample) => sample.assetId === assetId && sample.segment === segment)
    .map(({ result }) => (result.is === 'bad' ? result.why : result.is))
  return [...new Set(results)]
}

const noSuchBlob = ({ headers }: Message) => ({
  status: 404,
  headers: { ...headers, 'content-type': 'application/problem+json' },
  body: Buffer.from(JSON.stringify({ type: 'about:blank', title: 'x', status: 404, code: 'error.blob.not_found' })),
})

const isSegment = (hash: string, segment: number) => (exchange: Exchanged) =>
  blobAnswer(hash)(exchange) && exchange.headers.range?.startsWith(`bytes=${PREFIX + segment * MIB}-`) === true

beforeEach(() => {
  kept = new Map()
  patience = Promise.withResolvers()
})

describe('a sample of an honest server', () => {
  it('opens the chosen segments, and asks for each once, and for each beginning once', async () => {
    const owner = client()
    const originals = await originalsOf(owner, sorted)
    const before = world.proxy.seen.length
    const progress: number[] = []
    const run = await owner.sampleSegments({ originals, samples: SAMPLES, onProgress: (asked) => progress.push(asked) })
    const tally = sampleTally(run)
    assert.deepEqual([run.assets, run.segments, tally.drawn, tally.distinct, tally.good], [2, 6, SAMPLES, 6, SAMPLES])
    assert.deepEqual(progress, [1, 2, 3, 4, 5, 6])
    const ranges = world.proxy.seen.slice(before).map(({ path, headers }) => `${path} ${headers.range}`)
    const expected = sorted.flatMap((asset) => {
      const path = `/v1/blob/${hashOf(asset, 'original')}`
      const end = PREFIX + 2 * MIB + 3 * 16
      const starts = [0, 1, 2].map((index) => PREFIX + index * MIB)
      return [`${path} bytes=0-2209`, ...starts.map((from) => `${path} bytes=${from}-${Math.min(from + MIB, end) - 1}`)]
    })
    assert.deepEqual(ranges.toSorted(), expected.toSorted())
  })

  it('is chosen from its seed, in the order of the ids, and recorded without names', async () => {
    const run = await sampled()
    const record = sampleRecord(run, 17)
    assert.deepEqual([record.seed, record.feed_seq, record.stopped, record.segments], [SEED, 17, false, 6])
    const chosen = chooseSegments({ seed: fromHex(SEED), segments: 6, samples: SAMPLES })
    assert.deepEqual(
      record.samples,
      chosen.map((number) => [sorted[Math.floor(number / 3)]?.assetId, number % 3, 'good_some_version']),
    )
    assert.ok(!JSON.stringify(record).includes('plan'))
  })

  it('says of which files the version is known: those sealed here, and those read to the end', async () => {
    assert.equal(sampleTally(await sampled()).ofSomeVersion, SAMPLES)
    const owner = client()
    const { content } = await owner.openAsset(sorted[0] ?? assert.fail())
    for await (const _ of content);
    const run = await sampled([], { owner })
    const ofFirst = run.samples.filter(({ assetId }) => assetId === sorted[0]?.assetId).length
    assert.equal(sampleTally(run).ofSomeVersion, SAMPLES - ofFirst)
    assert.equal(kept.size, 1)
  })

  it('finds nothing to draw from, and draws nothing', async () => {
    const run = await client().sampleSegments({ originals: [], samples: SAMPLES })
    assert.deepEqual([run.segments, run.samples], [0, []])
  })
})

describe('the population', () => {
  it('has each file whose manifest holds, whatever else is in doubt, and no other', async () => {
    const owner = client()
    const { proxy } = world
    const count = async () => (await originalsOf(owner, sorted)).length
    proxy.tamper(changedVerdict((verdict) => Object.assign(verdict, { durable: false })))
    assert.equal(await count(), 2)
    proxy.tamper(changedBlobs((blobs) => blobs.filter(({ role }) => role !== 'metadata')))
    assert.equal(await count(), 2)
    proxy.tamper(changedBlobs((blobs) => blobs.filter(({ role }) => role !== 'provenance')))
    assert.equal(await count(), 0)
  })
})

const bytesOf = (message: Message, from: Buffer) => ({ ...message, body: from.subarray(0, message.body.length) })

describe('a server that has lost a segment', () => {
  const lies: readonly (readonly [string, string, (hash: string, other: string) => Promise<Partial<Tampering>>])[] = [
    [
      'serves the same segment of another file',
      'altered',
      async (_, other) => {
        const bytes = await world.blobBytes(other)
        return { answer: (message) => bytesOf(message, bytes.subarray(PREFIX + MIB)) }
      },
    ],
    [
      'serves another segment of the same file',
      'altered',
      async (hash) => {
        const bytes = await world.blobBytes(hash)
        return { answer: (message) => bytesOf(message, bytes.subarray(PREFIX)) }
      },
    ],
    ['serves zeros', 'altered', async () => ({ answer: (m) => ({ ...m, body: Buffer.alloc(m.body.length) }) })],
    [
      'serves half of it',
      'other_range',
      async () => ({ answer: (m) => ({ ...m, body: m.body.subarray(0, MIB / 2) }) }),
    ],
    [
      'serves the whole file',
      'other_range',
      async (hash) => {
        const body = await world.blobBytes(hash)
        // It still calls it the range.
        return { answer: ({ headers }) => ({ headers, body, status: 200 }) }
      },
    ],
    [
      'serves another range and says so',
      'other_range',
      async () => ({
        answer: (m) => ({ ...m, headers: { ...m.headers, 'content-range': `bytes 0-${MIB - 1}/${3 * MIB}` } }),
      }),
    ],
    ['says that there is no such blob', 'missing', async () => ({ answer: noSuchBlob })],
    ['refuses it', 'refused', async () => ({ instead: 403 })],
    ['always fails', 'refused', async () => ({ instead: 500 })],
    ['cuts the line each time', 'not_asked', async () => ({ lose: 'answer' })],
    ['is too busy for it', 'not_asked', async () => ({ instead: 429 })],
  ]
  for (const [what, result, lie] of lies)
    it(`is found out when it ${what}: ${result}`, async () => {
      const [first, second] = sorted
      assert.ok(first !== undefined && second !== undefined)
      const hash = hashOf(first, 'original')
      const run = await sampled([{ matches: isSegment(hash, 1), ...(await lie(hash, hashOf(second, 'original'))) }])
      assert.deepEqual(resultsOf(run, first.assetId, 1), [result])
      const { bad, notAsked, good, isAltered } = sampleTally(run)
      const lost = run.samples.filter(({ assetId, segment }) => assetId === first.assetId && segment === 1).length
      assert.deepEqual([bad + notAsked, good], [lost, SAMPLES - lost])
      assert.equal(isAltered, result === 'altered' || result === 'other_range')
    })

  it('is found out when it has no such blob, and does not say whether it has the file: refused', async () => {
    const [first] = sorted
    assert.ok(first !== undefined)
    const run = await sampled([
      { matches: isSegment(hashOf(first, 'original'), 1), answer: noSuchBlob },
      { matches: ({ path }) => path.endsWith(`/v1/assets/${first.assetId}`), instead: 500 },
    ])
    assert.deepEqual(resultsOf(run, first.assetId, 1), ['refused'])
  })

  it('is found out when it stops in the middle of it: late', async () => {
    const [first] = sorted
    assert.ok(first !== undefined)
    const done = Promise.withResolvers<void>()
    const meanwhile = () => {
      patience.resolve()
      return done.promise
    }
    const stalls = { matches: isSegment(hashOf(first, 'original'), 2), cut: { afterBytes: 100, meanwhile } }
    const run = await sampled([stalls], { assets: [first] }).finally(done.resolve)
    assert.deepEqual(resultsOf(run, first.assetId, 2), ['late'])
  })

  it('is found out when the bytes on its disk have rotted', async () => {
    const rotten = await world.keep(new Uint8Array(randomBytes(MIB + 10_000)))
    const file = await open(await world.blobPath(hashOf(rotten, 'original')), 'r+')
    const at = PREFIX + MIB + 1000
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at)
    await file.write(Buffer.of((buffer[0] ?? 0) ^ 1), 0, 1, at)
    await file.close()
    const run = await sampled([], { assets: [rotten] })
    const { assetId } = rotten
    assert.deepEqual(
      [0, 1].map((segment) => resultsOf(run, assetId, segment)),
      [['good'], ['altered']],
    )
  })
})

describe('a server that answers with an older version', () => {
  it('is found out by a client that knows how the signed file begins, and only by that', async () => {
    const { proxy, keeper, keep, blobBytes } = world
    const older = await keep(new Uint8Array(randomBytes(1000)))
    const old = await blobBytes(hashOf(older, 'original'))
    const replacement = await sealReplacement(keeper, older, new Uint8Array(randomBytes(1000)))
    await replaceAsset(proxy.url, keeper, { asset: older, replacement })
    const present = await keeper.owner.asset(older.assetId)
    const rollBack: Tampering = {
      matches: blobAnswer(hashOf(present, 'original')),
      answer: (message) => {
        const [, from = 0] = /^bytes (\d+)-/.exec(String(message.headers['content-range'])) ?? []
        return bytesOf(message, old.subarray(Number(from)))
      },
    }
    const [unaware, aware] = [client(), client()]
    const believed = await sampled([rollBack], { owner: unaware, assets: [present] })
    assert.deepEqual([sampleTally(believed).good, sampleTally(believed).ofSomeVersion], [SAMPLES, SAMPLES])
    proxy.tamper()
    for await (const _ of (await aware.openAsset(present)).content);
    const found = await sampled([rollBack], { owner: aware, assets: [present] })
    assert.deepEqual(resultsOf(found, present.assetId, 0), ['other_version'])
    const { bad, isAltered } = sampleTally(found)
    assert.deepEqual([bad, isAltered], [SAMPLES, true])
  })
})

describe('a sample that cannot go on', () => {
  it('does not wait for each segment of a line that is down', async () => {
    const { seen } = world.proxy
    const owner = client()
    const originals = (await originalsOf(owner, sorted)).map((original) => ({ ...original, plaintextSize: 200 * MIB }))
    const before = seen.length
    world.proxy.tamper({ matches: ({ headers }) => headers.range?.includes('=0-') === false, lose: 'request' })
    const run = await owner.sampleSegments({ originals, samples: 200 })
    assert.equal(run.ended, undefined)
    assert.equal(sampleTally(run).notAsked, 200)
    const asked = new Set(seen.slice(before).map(({ headers }) => headers.range))
    assert.ok(asked.size < 15, `${asked.size} different ranges`)
  })

  it('keeps what was asked when the caller stops it', async () => {
    const stop = new AbortController()
    const reason = new Error('stopped by a person')
    const run = await sampled([], {
      signal: stop.signal,
      onProgress: (asked) => {
        if (asked === 2) stop.abort(reason)
      },
    })
    assert.equal(run.ended, reason)
    const { good, notAsked, bad } = sampleTally(run)
    assert.ok(good > 0 && notAsked > 0 && bad === 0)
    assert.equal(sampleRecord(run, 0).stopped, true)
  })

  it('ends with the session', async () => {
    const run = await sampled([{ matches: ({ path }) => /\/blob\/|refresh/.test(path), instead: 401 }])
    assert.ok(run.ended instanceof Error)
    assert.equal(sampleTally(run).notAsked, SAMPLES)
  })
})

describe('the beginning of a file', () => {
  it('is kept when the file is sealed here', async () => {
    const owner = client()
    const source = sourceOfBytes(new Uint8Array(10))
    const { assetId } = await owner.upload({ source, ...world.keeper, name: 'x' })
    const hash = hashOf(await owner.asset(assetId), 'original')
    const start = (await world.blobBytes(hash)).subarray(0, PREFIX)
    assert.equal(kept.get(hash), toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', start))))
  })

  it('is kept when a drop was read to its end, whose key and place the adopted file keeps', async () => {
    const owner = client()
    const { url } = await owner.createLink()
    const { landed } = await sendFile(url, randomBytes(1000))
    const drop = await dropOf(owner, landed)
    for await (const _ of (await owner.openDrop(drop)).content);
    const { assetId } = await owner.adoptDrop(drop, world.keeper)
    const { good, ofSomeVersion } = sampleTally(await sampled([], { owner, assets: [await owner.asset(assetId)] }))
    assert.deepEqual([good, ofSomeVersion], [SAMPLES, 0])
  })

  it('is kept when a local copy was compared with the stored file', async () => {
    const owner = client()
    const { assetId } = world.asset
    const answer = await owner.verifyBeforeDestroying({ assetId, source: sourceOfBytes(world.content) })
    assert.ok(answer.safe)
    assert.deepEqual([...kept.keys()], [answer.hashes.original])
  })

  it('decides about all segments of the file', async () => {
    const [first] = sorted
    assert.ok(first !== undefined)
    const matches = (exchange: Exchanged) =>
      blobAnswer(hashOf(first, 'original'))(exchange) && exchange.headers.range?.startsWith('bytes=0-') === true
    const answer = (message: Message) => ({ ...message, body: Buffer.from(message.body).fill(0, 30, 40) })
    const run = await sampled([{ matches, answer }], { assets: [first] })
    assert.deepEqual(
      [0, 1, 2].flatMap((segment) => resultsOf(run, first.assetId, segment)),
      Array(3).fill('altered'),
    )
  })
})
