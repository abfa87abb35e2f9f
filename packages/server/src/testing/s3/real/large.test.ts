import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freshLocation, writeBytes } from '../../../contracts/bytes/world.ts'
import { type RealStore, realStores } from '../realStore.ts'
import { openS3World, type S3World } from '../world.ts'

const MEBIBYTE = 1024 ** 2
const CHUNK_BYTES = 16 * MEBIBYTE
/** `LARGE_BYTES` for another size: 5 GiB is the size of the promise. */
const LARGE_BYTES = Number(process.env.LARGE_BYTES ?? 256 * MEBIBYTE)
/** Buffers of a chunk, of a socket and of the garbage collector; not of the object. */
const MOST_GROWTH_BYTES = 160 * MEBIBYTE
const LOOKS = 3_200

/** The double as a process, so that its memory is not counted. */
async function startDouble(): Promise<RealStore> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const { endpoint, accessKeyId, secretAccessKey, buckets } = JSON.parse(String(line))
  return {
    name: 'the double',
    endpoint,
    region: 'us-east-1',
    bucket: buckets[0],
    credentials: { accessKeyId, secretAccessKey },
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function inWorldOf(store: RealStore, work: (world: S3World) => Promise<void>): Promise<void> {
  const { bucket, endpoint, region, credentials } = store
  const world = await openS3World({
    address: { bucket, prefix: `${randomUUID()}/`, endpoint, region, pathStyle: true },
    credentials: { ...credentials, file: undefined },
    leave: async () => async () => undefined,
    close: () => store.stop(),
  })
  await work(world).finally(() => world.close())
}

/** Joins all parts into one key, as sealing does, and names it in the index. */
async function seal({ store, index }: S3World, location: string, size: number): Promise<void> {
  const key = store.staging.newKey(location) ?? ''
  const joiningId = await store.keyedBytes.create(key)
  const pieces = []
  const parts = await index.partsOf(location)
  for (const [at, part] of parts.entries()) {
    const range = { start: 0, end: part.length }
    pieces.push(await store.keyedBytes.copy({ key, joiningId, number: at + 1 }, { key: part.key, range }))
  }
  await store.keyedBytes.complete({ key, joiningId }, pieces)
  index.replace(location, [{ key, offset: 0, length: size }])
  for (const part of parts) await store.keyedBytes.remove(part.key)
}

async function keepLarge(world: S3World): Promise<void> {
  const location = freshLocation()
  const chunk = randomBytes(CHUNK_BYTES)
  const hash = createHash('sha256')
  await writeBytes(world.blobs, freshLocation(), chunk)
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 50)
  for (let offset = 0; offset < LARGE_BYTES; offset += CHUNK_BYTES) {
    chunk.writeUInt32BE(offset / CHUNK_BYTES)
    hash.update(chunk)
    await writeBytes(world.blobs, location, chunk, offset)
  }
  await seal(world, location, LARGE_BYTES)
  const digest = await world.blobs.digest(location, LARGE_BYTES, new AbortController().signal)
  clearInterval(watch)
  assert.deepEqual(digest, { sha256: hash.digest('hex'), size: LARGE_BYTES })
  console.log(`${LARGE_BYTES / MEBIBYTE} MiB: ${before / MEBIBYTE} MiB in memory before, ${most / MEBIBYTE} at most`)
  assert.ok(most - before < MOST_GROWTH_BYTES, `memory grew by ${(most - before) / MEBIBYTE} MiB`)
}

/** All are answered, however slow the machine: none may run out of time while it waits for its turn. */
async function lookOften({ blobs }: S3World): Promise<void> {
  const locations = Array.from({ length: 100 }, freshLocation)
  for (const location of locations) await writeBytes(blobs, location, randomBytes(1_000))
  const begun = performance.now()
  const cpuBegun = process.cpuUsage()
  const looks = Array.from({ length: LOOKS }, (_, at) => blobs.size(locations[at % locations.length] ?? ''))
  for (const size of await Promise.all(looks)) assert.equal(size, 1_000)
  const { user, system } = process.cpuUsage(cpuBegun)
  const took = performance.now() - begun
  console.log(`${LOOKS} looks at once in ${took.toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms of them ours`)
}

for (const { name, start } of [{ name: 'the double', start: startDouble }, ...realStores()])
  describe(`the S3 adapter over ${name}`, () => {
    it('keeps a large object in little memory, and answers many looks at once', async () =>
      inWorldOf(await start(), async (world) => {
        await lookOften(world)
        await keepLarge(world)
      }))
  })
