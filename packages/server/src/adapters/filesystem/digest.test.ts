import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { freshLocation, readBytes, writeBytes } from '../../contracts/bytes/world.ts'
import { BlobMissing, DigestsBusy, ObjectUnreadable } from '../../ground/storageErrors.ts'
import { type FilesystemBlobs, openFilesystemBlobs } from './blobs.ts'
import { IDLE_MS, MAX_THREADS, MAX_WAITING } from './digest.ts'
import { THREAD_NAME } from './digestThread.ts'

interface World {
  readonly blobs: FilesystemBlobs
  readonly directory: string
  /** A file that gives zeros without end: only an abort stops its digest. */
  readonly endless: string
  /** The threads that were started in this world. */
  readonly started: readonly Worker[]
}

const never = new AbortController().signal
const ENDLESS_BYTES = 2 ** 52

function inWorld(work: (world: World, context: TestContext) => Promise<void>): (context: TestContext) => Promise<void> {
  return async (context) => {
    const directory = mkdtempSync(join(tmpdir(), 'blindkeep-digest-'))
    const blobs = await openFilesystemBlobs({ directory, createIfMissing: true })
    const endless = freshLocation()
    symlinkSync('/dev/zero', join(directory, endless))
    const started: Worker[] = []
    const note = (worker: Worker) => started.push(worker)
    process.on('worker', note)
    try {
      await work({ blobs, directory, endless, started }, context)
    } finally {
      process.off('worker', note)
      await blobs.close()
      rmSync(directory, { recursive: true })
    }
  }
}

/** How many threads of this process hash. */
function threadsNow(): number {
  const names = readdirSync('/proc/self/task').map((thread) => {
    try {
      return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
    } catch {
      return '' // It has ended since.
    }
  })
  return names.filter((name) => name === THREAD_NAME).length
}

/** Starts an endless digest in each thread. Answers their outcomes. */
function occupy({ blobs, endless }: World, signals: readonly AbortSignal[] = []) {
  const digests = Array.from({ length: MAX_THREADS }, (_, index) =>
    blobs.digest(endless, ENDLESS_BYTES, signals[index] ?? never),
  )
  return Promise.allSettled(digests).then((ends) => ends.map((end) => (end.status === 'rejected' ? end.reason : end)))
}

/** Lets the event loop turn until the condition holds. The test runner's time limit is the bound. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}

function isOpen(target: string): boolean {
  return readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === target
    } catch {
      return false // The one that reads the list is closed by now.
    }
  })
}

async function digestOf(blobs: FilesystemBlobs, bytes: Uint8Array): Promise<void> {
  const location = freshLocation()
  await writeBytes(blobs, location, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  assert.deepEqual(await blobs.digest(location, bytes.length, never), { sha256, size: bytes.length })
}

describe('digests of the filesystem adapter', () => {
  it(
    'throw ObjectUnreadable with its cause for a file that the disk does not give, as reads do, and continue',
    inWorld(async ({ blobs, directory, started }) => {
      const [asDirectory, asLoop, broken] = [freshLocation(), freshLocation(), freshLocation()]
      mkdirSync(join(directory, asDirectory))
      symlinkSync(join(directory, asLoop), join(directory, asLoop))
      // Address 0 of this very process cannot be read: EIO, the answer of a broken disk.
      symlinkSync('/proc/self/mem', join(directory, broken))
      for (const [location, code] of [
        [asDirectory, /EISDIR/],
        [asLoop, /ELOOP/],
        [broken, /EIO/],
      ] as const) {
        for (const call of [() => blobs.digest(location, 100, never), () => readBytes(blobs, location)])
          await assert.rejects(call(), (error) => {
            assert.ok(error instanceof ObjectUnreadable)
            assert.match(error.message, code)
            assert.match(String(error.cause), code)
            return true
          })
      }
      await assert.rejects(blobs.digest(freshLocation(), 100, never), BlobMissing)
      await digestOf(blobs, randomBytes(100))
      assert.equal(started.length, 1)
    }),
  )

  it(
    'do not delay the event loop or other calls while every thread is busy',
    inWorld(async (world) => {
      const { blobs, started } = world
      const abort = new AbortController()
      const busy = occupy(world, [abort.signal, abort.signal])
      await until(() => isOpen('/dev/zero'))
      const bytes = randomBytes(1_000_000)
      const locations = Array.from({ length: 20 }, freshLocation)
      await Promise.all(locations.map((location) => writeBytes(blobs, location, bytes)))
      await Promise.all(locations.map((location) => blobs.settle(location, bytes.length)))
      for (const location of locations) assert.ok(bytes.equals(await readBytes(blobs, location)))
      assert.equal(threadsNow(), MAX_THREADS)
      const reason = new Error('enough')
      abort.abort(reason)
      assert.deepEqual(await busy, [reason, reason])
      assert.equal(started.length, MAX_THREADS)
    }),
  )

  it(
    'stop reading when they are aborted, close the file and free their threads',
    inWorld(async (world) => {
      const abort = new AbortController()
      const busy = occupy(world, [abort.signal, abort.signal])
      await until(() => isOpen('/dev/zero'))
      abort.abort()
      await busy
      await until(() => !isOpen('/dev/zero'))
      for (let count = 0; count < 5; count++) await digestOf(world.blobs, randomBytes(10))
      assert.equal(world.started.length, MAX_THREADS)
    }),
  )

  it(
    'wait in the order of the calls, up to a bound, and leave the queue when they are aborted',
    inWorld(async (world) => {
      const { blobs, started } = world
      const location = freshLocation()
      await writeBytes(blobs, location, randomBytes(10))
      const [first, second, leaving] = [new AbortController(), new AbortController(), new AbortController()]
      const busy = occupy(world, [first.signal, second.signal])
      const order: number[] = []
      const leaves = assert.rejects(blobs.digest(location, 10, leaving.signal), /has left/)
      const waiting = Array.from({ length: MAX_WAITING }, async (_, index) => {
        // The last one takes the place of the aborted one.
        if (index === MAX_WAITING - 1) await leaves
        await blobs.digest(location, 10, never)
        order.push(index)
      })
      await assert.rejects(blobs.digest(location, 10, never), DigestsBusy)
      leaving.abort(new Error('the reader has left'))
      await leaves
      await assert.rejects(blobs.digest(location, 10, never), DigestsBusy)

      // With one free thread they run one by one.
      first.abort()
      await Promise.all(waiting)
      assert.deepEqual(order, [...order.keys()])
      assert.equal(order.length, MAX_WAITING)
      second.abort()
      await busy
      assert.equal(started.length, MAX_THREADS)
    }),
  )

  it(
    'fail if their thread dies, which is then replaced',
    inWorld(async (world) => {
      const { blobs, started } = world
      const busy = occupy(world)
      const waiting = digestOf(blobs, randomBytes(3_000_000))
      await until(() => isOpen('/dev/zero'))
      for (const worker of started.slice(0, MAX_THREADS)) await worker.terminate()
      for (const error of await busy) assert.match(String(error), /the thread that hashed an object has ended/)
      await waiting
      assert.equal(started.length, MAX_THREADS + 1)
      assert.equal(isOpen('/dev/zero'), false)
    }),
  )

  it(
    'end their threads after a while without work, and start them again',
    inWorld(async ({ blobs, started }, context) => {
      context.mock.timers.enable({ apis: ['setTimeout'] })
      const location = freshLocation()
      await writeBytes(blobs, location, randomBytes(10))
      const digest = () => blobs.digest(location, 10, never)
      await Promise.all([digest(), digest()])
      context.mock.timers.tick(IDLE_MS - 1)
      await digest()
      assert.equal(started.length, 2)
      context.mock.timers.tick(1)
      await until(() => threadsNow() === 1)
      context.mock.timers.tick(IDLE_MS - 2)
      await digest()
      assert.equal(started.length, 2)
      context.mock.timers.tick(IDLE_MS)
      await until(() => threadsNow() === 0)
      await digest()
      assert.equal(started.length, 3)
    }),
  )

  it(
    'end when the store closes: threads end, running and waiting digests fail, later ones are refused',
    inWorld(async (world) => {
      const { blobs, endless } = world
      const busy = occupy(world)
      const waits = assert.rejects(blobs.digest(endless, ENDLESS_BYTES, never), /closed/)
      await until(() => isOpen('/dev/zero'))
      await blobs.close()
      assert.equal(threadsNow(), 0)
      for (const error of await busy) assert.ok(error instanceof Error)
      await waits
      await assert.rejects(blobs.digest(endless, 1, never), /closed/)
      assert.equal(world.started.length, MAX_THREADS)
    }),
  )

  it(
    'neither keep a finished process alive nor print a warning',
    inWorld(async ({ directory, blobs }) => {
      const location = freshLocation()
      await writeBytes(blobs, location, Buffer.from('abc'))
      // If the process waited for its idle thread, no thread would be left at its end.
      const script = `
        import { readdirSync, readFileSync } from 'node:fs'
        import { openFilesystemBlobs } from ${JSON.stringify(import.meta.resolve('./blobs.ts'))}
        const blobs = await openFilesystemBlobs({ directory: ${JSON.stringify(directory)}, createIfMissing: false })
        const { sha256 } = await blobs.digest(${JSON.stringify(location)}, 3, new AbortController().signal)
        process.once('beforeExit', () => {
          const names = readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8'))
          console.log(sha256, names.filter((name) => name === ${JSON.stringify(`${THREAD_NAME}
`)}).length)
        })`
      const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
      const { stdout, stderr } = await promisify(execFile)(process.execPath, options)
      // The vector of FIPS 180-2 for the three letters.
      assert.equal(stdout, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 1\n')
      assert.equal(stderr, '')
    }),
  )
})
