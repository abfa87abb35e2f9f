/**
 * The memory of a server in the life of a large file in an object store: upload, joining, deep verification,
 * download. `LARGE_BYTES` is the size of the file (5 GiB is the size of the promise), `LARGE_FILES` how many have
 * that life at once.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text as textOf } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { CreateUploadResponse } from '@blindkeep/protocol/schemas/uploads'
import type { StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import { HEADERS } from '@blindkeep/protocol/wire'
import { openObjectStore } from '../../testing/objectStore.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { type Api, createApi, jsonOf, pause } from '../harness/api.ts'
import { newAsset, newBlob } from '../harness/assets/assetLedger.ts'
import { signUp, uploadBody } from '../harness/assets/author.ts'
import type { Asset, AssetBlob } from '../harness/ledger.ts'
import { FAULT_ENV } from '../harness/load.ts'
import { createRandom, randomContent, sha256 } from '../harness/random.ts'
import { rowsOf } from '../harness/rows.ts'

const MEBIBYTE = 1024 ** 2
const CHUNK_BYTES = 8 * MEBIBYTE
const LARGE_BYTES = Number(process.env.LARGE_BYTES ?? 256 * MEBIBYTE)
const LARGE_FILES = Number(process.env.LARGE_FILES ?? 1)
const MOST_MEBIBYTES = 250
const MAX_JOINING_MS = 30 * 60_000

interface LargeFile {
  readonly asset: Asset
  readonly blob: AssetBlob
}

describe('a large file in an object store', () => {
  it(`leaves the server below ${MOST_MEBIBYTES} MiB`, { timeout: 60 * 60_000 }, async (test) => {
    const objects = await openObjectStore()
    const unlimited = { DEEP_BYTES_PER_HOUR: String(2 ** 50) }
    const server = await startServer({ env: { ...FAULT_ENV, ...unlimited, ...objects.env } })
    try {
      test.diagnostic(`${LARGE_FILES} of ${LARGE_BYTES / MEBIBYTE} MiB, the store: ${objects.name}`)
      const api = createApi(server)
      const owner = await signUp(api, createRandom('large'))
      const files = Array.from({ length: LARGE_FILES }, (_, index) => {
        const name = `large ${index}`
        const hash = hashOf(name)
        const blob = newBlob({ role: 'original', name, size: LARGE_BYTES, hash, attempt: undefined })
        return { asset: newAsset(owner), blob }
      })
      const phase = (name: string, work: (file: LargeFile) => Promise<void>) =>
        mostMemory(server, () => Promise.all(files.map(work))).then((mebibytes) => {
          test.diagnostic(`${name}: ${mebibytes.toFixed(0)} MiB at most`)
          return mebibytes
        })
      const most = [
        await phase('upload', (file) => upload(api, file)),
        await phase('joining', (file) => untilJoined(server, file)),
        await phase('deep verification', (file) => verifyDeep(server, file)),
        await phase('download', (file) => download(server, file)),
      ]
      assert.ok(Math.max(...most) <= MOST_MEBIBYTES, `${Math.max(...most).toFixed(0)} MiB at most`)
    } finally {
      await server.stop()
      await objects.stop()
    }
  })
})

/** The same bytes in every chunk but for its number, so that this process needs little memory. */
function chunkOf(content: Buffer<ArrayBuffer>, offset: number): Buffer<ArrayBuffer> {
  content.writeUInt32BE(offset / CHUNK_BYTES)
  return content.subarray(0, LARGE_BYTES - offset)
}

function hashOf(name: string): string {
  const content = Buffer.from(randomContent(name, CHUNK_BYTES))
  const hash = createHash('sha256')
  for (let offset = 0; offset < LARGE_BYTES; offset += CHUNK_BYTES) hash.update(chunkOf(content, offset))
  return hash.digest('hex')
}

async function upload(api: Api, { asset, blob }: LargeFile): Promise<void> {
  const { token } = asset.owner
  const json = uploadBody(asset, { action: 'create', original: blob, metadata: undefined }, blob)
  const created = await api.askUntilAnswered({ method: 'POST', path: '/v1/upload', token, json })
  assert.equal(created.status, 201, created.body.toString())
  blob.uploadId = jsonOf<CreateUploadResponse>(created).upload_id
  const path = `/v1/upload/${blob.uploadId}`
  const content = Buffer.from(randomContent(blob.name, CHUNK_BYTES))
  for (let offset = 0; offset < blob.size; offset += CHUNK_BYTES) {
    const bytes = chunkOf(content, offset)
    const headers = { [HEADERS.offset]: String(offset), [HEADERS.checksum]: sha256(bytes) }
    const reply = await api.ask({ method: 'PATCH', path, token, headers, bytes })
    assert.equal(reply?.status, 204, reply?.body.toString())
  }
}

/** In the background, begun by the sweep each second. */
async function untilJoined({ dataDir }: RunningServer, { blob }: LargeFile): Promise<void> {
  const database = new DatabaseSync(join(dataDir, 'blindkeep.sqlite'), { readOnly: true })
  const query = `select count(*) as parts from parts where upload_id = ? and state = 'kept'`
  try {
    const endAt = Date.now() + MAX_JOINING_MS
    while (rowsOf(database, query, blob.uploadId ?? '')[0]?.number('parts') !== 1) {
      assert.ok(Date.now() < endAt, 'the parts were not joined')
      await pause(200)
    }
  } finally {
    database.close()
  }
}

/** Without the time limits of `Api` and `fetch`: every byte is read before the answer. */
async function verifyDeep({ url }: RunningServer, { asset, blob }: LargeFile): Promise<void> {
  const body = JSON.stringify({ assets: [{ asset_id: asset.assetId, blob_hashes: [blob.hash] }], deep: true })
  const headers = { authorization: `Bearer ${asset.owner.token}`, 'content-type': 'application/json' }
  const asked = request(`${url}/v1/storage/verify`, { method: 'POST', headers }).end(body)
  const [answer]: IncomingMessage[] = await once(asked, 'response')
  const text = answer === undefined ? '' : await textOf(answer)
  const { verdicts }: StorageVerifyResponse = JSON.parse(text)
  assert.equal(verdicts[0]?.blobs[0]?.deep, 'intact', text)
}

async function download({ url }: RunningServer, { asset, blob }: LargeFile): Promise<void> {
  const headers = { authorization: `Bearer ${asset.owner.token}` }
  const answer = await fetch(`${url}/v1/blob/${blob.hash}`, { headers })
  const hash = createHash('sha256')
  for await (const piece of answer.body ?? []) hash.update(piece)
  assert.deepEqual([answer.status, hash.digest('hex')], [200, blob.hash])
}

/** The peak of the resident memory of the server’s process while `work` runs, in MiB, as Linux counts it. */
async function mostMemory(server: RunningServer, work: () => Promise<unknown>): Promise<number> {
  const process = `/proc/${server.pid()}`
  // Begins a new peak.
  await writeFile(`${process}/clear_refs`, '5')
  await work()
  const status = await readFile(`${process}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}
