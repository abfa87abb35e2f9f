import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { bodyOf } from '../../contracts/bytes/world.ts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { type S3Options, type S3Server, startS3, TEST_BUCKET } from '../../testing/s3/server.ts'
import { type Client, openClient } from './client.ts'
import { listKeys, putKey, readKey, removeKey, sizeOfKey } from './keys.ts'
import {
  abortMultipartUpload,
  completeMultipartUpload,
  copyPart,
  createMultipartUpload,
  uploadPart,
} from './multipart.ts'
import { inMemory, openSpool } from './spool.ts'

interface World {
  readonly s3: S3Server
  readonly client: Client
}

const ANSWER_MS = 8_000
const SHORT_MS = 300
const MAX_LATE_MS = 20_000
const MEBIBYTE = 1024 * 1024
const never = new AbortController().signal

function inWorld(
  work: (world: World) => Promise<void>,
  { answerMs = ANSWER_MS, ...options }: S3Options & { readonly answerMs?: number } = {},
): () => Promise<void> {
  return async () => {
    const s3 = await startS3(options)
    const address = { bucket: TEST_BUCKET, prefix: 'p/', endpoint: s3.endpoint, region: 'us-east-1', pathStyle: true }
    const client = await openClient({ address, credentials: s3.credentials, answerMs })
    try {
      await work({ s3, client })
    } finally {
      client.close()
      await s3.close()
    }
  }
}

async function read(client: Client, key: string, start = 0, end = 2 ** 40): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of readKey(client, key, { start, end }, { lane: 'reads' })) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

/** Gives `fault` for the first `times` requests whose line begins with `start`. */
function first(
  times: number,
  start: string,
  fault: Parameters<S3Server['meddle']>[0] extends ((l: string) => infer F) | undefined ? F : never,
) {
  let left = times
  return (line: string) => (line.startsWith(start) && left-- > 0 ? fault : undefined)
}

describe('a key of an object store', () => {
  it(
    'has the bytes that were put, read whole, in spans and beyond its end, and knows its size without HEAD',
    inWorld(async ({ s3, client }) => {
      for (const length of [0, 1, 65_536, 3_000_001]) {
        const bytes = randomBytes(length)
        const key = `p/${length}`
        await putKey(client, key, inMemory(bytes))
        assert.equal(await sizeOfKey(client, key, Math.max(0, length - 1)), length)
        assert.equal(await sizeOfKey(client, key, length + 5), length)
        assert.ok(bytes.equals(await read(client, key)))
        assert.ok(bytes.subarray(5, 70_000).equals(await read(client, key, 5, 70_000)))
        assert.equal((await read(client, key, length, length + 1)).length, 0)
      }
      assert.ok(!s3.requests.some((line) => line.startsWith('HEAD')))
    }),
  )

  it(
    'is refused by the store if its bytes change on the way',
    inWorld(async ({ client }) => {
      const right = inMemory(Buffer.from('right'))
      await assert.rejects(
        putKey(client, 'p/a', { ...right, body: () => Buffer.from('wrong') }),
        /XAmzContentSHA256Mismatch/,
      )
      await assert.rejects(read(client, 'p/a'), /NoSuchKey/)
    }),
  )

  it(
    'is listed page by page, and gone after it was removed, also twice',
    inWorld(async ({ s3, client }) => {
      const keys = Array.from({ length: 1_005 }, (_, at) => `p/${String(at).padStart(5, '0')}`)
      await putKey(client, 'p/00000', inMemory(Buffer.from('x')))
      const objects = s3.store.buckets.get(TEST_BUCKET)?.objects
      const one = objects?.get('p/00000')
      for (const key of keys) if (one !== undefined) objects?.set(key, one)
      await putKey(client, 'q/other', inMemory(Buffer.from('x')))
      const listed = await all(listKeys(client, 'p/'))
      assert.deepEqual(
        listed.map(({ key }) => key),
        keys,
      )
      assert.ok((listed[0]?.ageSeconds ?? 60) < 60)
      for (const _ of [1, 2]) await removeKey(client, 'p/00000')
      await assert.rejects(sizeOfKey(client, 'p/00000', 0), /NoSuchKey/)
    }),
  )
})

describe('a call to an object store', () => {
  it(
    'is tried three times, and then fails without secrets',
    inWorld(async ({ s3, client }) => {
      for (const fault of ['slow down', 'internal error', 'refused', 'lost'] as const) {
        s3.meddle(first(2, 'PUT', fault))
        await putKey(client, `p/${fault}`, inMemory(Buffer.from('x')))
        const before = s3.requests.length
        s3.meddle(() => fault)
        const error = await putKey(client, 'p/never', inMemory(Buffer.from('x'))).catch((thrown: unknown) => thrown)
        assert.ok(error instanceof StorageUnavailable)
        assert.equal(s3.requests.length - before, 3)
        const shown = JSON.stringify(error, Object.getOwnPropertyNames(error))
        for (const secret of [s3.credentials.secretAccessKey, s3.credentials.accessKeyId, 'Signature'])
          assert.ok(!shown.includes(secret), shown)
        assert.equal(error.cause, undefined)
      }
    }),
  )

  it(
    'ends within its time if the store never answers',
    inWorld(
      async ({ s3, client }) => {
        s3.meddle(() => 'hang')
        const begun = Date.now()
        await assert.rejects(read(client, 'p/a'), StorageUnavailable)
        assert.ok(Date.now() - begun < 3 * SHORT_MS + MAX_LATE_MS)
      },
      { answerMs: SHORT_MS },
    ),
  )

  it(
    'is not repeated if it is forbidden',
    inWorld(async ({ s3, client }) => {
      s3.meddle(() => 'forbidden')
      await assert.rejects(read(client, 'p/a'), /AccessDenied \(403\)/)
      assert.equal(s3.requests.length, 1)
    }),
  )

  it(
    'asks a store that hung again before its whole time is over',
    inWorld(async ({ s3, client }) => {
      await putKey(client, 'p/a', inMemory(Buffer.from('x')))
      s3.meddle(first(1, 'GET', 'hang'))
      const begun = Date.now()
      assert.equal((await read(client, 'p/a')).length, 1)
      assert.ok(Date.now() - begun < ANSWER_MS)
    }),
  )

  it(
    'stops at once with the reason of its signal',
    inWorld(async ({ s3, client }) => {
      s3.meddle(() => 'hang')
      const abort = new AbortController()
      const reason = new Error('superseded')
      const putting = putKey(client, 'p/a', inMemory(Buffer.from('x')), { signal: abort.signal })
      setTimeout(() => abort.abort(reason), 20)
      await assert.rejects(putting, (error) => error === reason)
    }),
  )

  it(
    'reads on where an answer broke off, and gives up if no answer brings more',
    inWorld(async ({ s3, client }) => {
      const bytes = randomBytes(900_000)
      await putKey(client, 'p/a', inMemory(bytes))
      s3.meddle(first(4, 'GET', 'cut'))
      assert.ok(bytes.equals(await read(client, 'p/a')))
      s3.meddle(() => 'lost')
      await assert.rejects(read(client, 'p/a'), StorageUnavailable)
    }),
  )

  it(
    'corrects its date by the store’s, for each kind of call once',
    inWorld(
      async ({ s3, client }) => {
        await putKey(client, 'p/a', inMemory(Buffer.from('x')))
        for (const _ of [1, 2, 3]) assert.equal((await read(client, 'p/a')).length, 1)
        assert.equal(s3.requests.filter((line) => line.startsWith('GET')).length, 4)
      },
      { now: () => Date.now() - 3_600_000 },
    ),
  )
})

describe('a multipart upload', () => {
  it(
    'joins copied and sent parts, also if the answer is lost',
    inWorld(async ({ s3, client }) => {
      const bytes = randomBytes(11 * MEBIBYTE)
      const rest = Buffer.from('the rest')
      await putKey(client, 'p/a', inMemory(bytes))
      for (const isLost of [false, true]) {
        const upload = await createMultipartUpload(client, `p/whole${isLost}`)
        const source = { key: 'p/a', start: 1, end: 6 * MEBIBYTE }
        const parts = [
          { number: 1, tag: await copyPart(client, upload, { number: 1, source }) },
          { number: 3, tag: await uploadPart(client, upload, { number: 3, spooled: inMemory(rest) }) },
        ]
        if (isLost) s3.meddle(first(1, 'POST', 'lost'))
        const completing = completeMultipartUpload(client, upload, parts)
        await (isLost ? assert.rejects(completing, StorageUnavailable) : completing)
        const expected = Buffer.concat([bytes.subarray(1, 6 * MEBIBYTE), rest])
        assert.ok(expected.equals(await read(client, upload.key)))
      }
    }),
  )

  it(
    'is not complete after an error in an answer with status 200, nor with parts that are too small, and can be aborted twice',
    inWorld(async ({ s3, client }) => {
      const upload = await createMultipartUpload(client, 'p/small')
      const uploaded = []
      for (const number of [1, 2])
        uploaded.push({ number, tag: await uploadPart(client, upload, { number, spooled: inMemory(randomBytes(10)) }) })
      await assert.rejects(completeMultipartUpload(client, upload, uploaded), /EntityTooSmall/)
      s3.meddle(first(1, 'POST', 'error in 200'))
      await assert.rejects(completeMultipartUpload(client, upload, uploaded.slice(0, 1)), /InternalError/)
      for (const _ of [1, 2]) await abortMultipartUpload(client, upload)
      await assert.rejects(completeMultipartUpload(client, upload, uploaded), /NoSuchUpload/)
      await assert.rejects(read(client, 'p/small'), /NoSuchKey/)
    }),
  )
})

describe('the spool', () => {
  it('gives a body of any size again and again, hashed, from a file without a name', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-spool-'))
    const spool = await openSpool(join(directory, 'new'))
    for (const length of [0, 1, 262_144, 262_145, 3_000_000]) {
      const bytes = randomBytes(length)
      let seen = 0
      const onBytes = (piece: Uint8Array) => {
        seen += piece.length
      }
      const spooled = await spool.take({ body: bodyOf(bytes, 9_999), signal: never, onBytes })
      assert.deepEqual([spooled.size, spooled.sha256, seen], [length, inMemory(bytes).sha256, length])
      for (const _ of [1, 2]) {
        const body = spooled.body()
        const got = body instanceof Uint8Array ? body : Buffer.concat(await all<Uint8Array>(body))
        assert.ok(bytes.equals(got))
      }
      assert.deepEqual(await readdir(join(directory, 'new')), [])
      await spooled.release()
    }
    await rm(directory, { recursive: true })
  })
})
