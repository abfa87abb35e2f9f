/** Files that the server's user may not use, as after a copy by root. Root becomes another user for that. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { freshLocation, readBytes, writeBytes } from '../../contracts/bytes/world.ts'
import { StorageForbidden } from '../../ground/storageErrors.ts'
import { openFilesystemBlobs } from './blobs.ts'

const BYTES = Buffer.from('for one user alone')
const OTHER_UID = 65_534
const isRoot = process.geteuid?.() === 0

/** Runs `work` while this process may not use `path`. */
async function forbidding(path: string, work: () => Promise<void>): Promise<void> {
  if (isRoot) process.seteuid?.(OTHER_UID)
  else chmodSync(path, 0o000)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
    else chmodSync(path, 0o700)
  }
}

/** A world whose directories every user may enter, and whose files belong to one. */
async function inWorld(work: (world: Awaited<ReturnType<typeof newWorld>>) => Promise<void>): Promise<void> {
  const world = await newWorld()
  try {
    await work(world)
  } finally {
    await world.blobs.close()
    rmSync(world.directory, { recursive: true })
  }
}

async function newWorld() {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-forbidden-'))
  const blobs = await openFilesystemBlobs({ directory, createIfMissing: true })
  const location = freshLocation()
  await writeBytes(blobs, location, BYTES)
  await blobs.settle(location, BYTES.length)
  for (const path of [directory, ...readdirSync(directory).map((name) => join(directory, name))]) chmodSync(path, 0o755)
  return { directory, blobs, location, path: join(directory, location) }
}

it('an object that this user may not read is said with its path and the user, and is read again once the user may', () =>
  inWorld(async ({ blobs, location, path }) => {
    const never = new AbortController().signal
    const digest = await blobs.digest(location, BYTES.length, never)
    const isSaid = (error: unknown) => {
      assert.ok(error instanceof StorageForbidden, String(error))
      const user = isRoot ? `uid ${OTHER_UID}` : `uid ${process.geteuid?.()}`
      assert.match(error.message, new RegExp(`^the user .*${user}\\)? may not read and write ${path}, .*chown`))
      return true
    }
    await forbidding(path, async () => {
      await assert.rejects(readBytes(blobs, location), isSaid)
      // By a thread of its own.
      await assert.rejects(blobs.digest(location, BYTES.length, never), isSaid)
    })
    assert.deepEqual(await blobs.digest(location, BYTES.length, never), digest)
  }))

/** What opening `directory` throws for a user whom file modes bind. A process of root gives up its user for good. */
function openedByUser(directory: string, { asItIs = false } = {}): string {
  const script = `
    const { openFilesystemBlobs } = await import(${JSON.stringify(new URL('./blobs.ts', import.meta.url).href)})
    if (${isRoot}) process.setuid(${OTHER_UID})
    const options = { directory: ${JSON.stringify(directory)}, createIfMissing: false, asItIs: ${asItIs} }
    const opened = async () => {
      const blobs = await openFilesystemBlobs(options)
      await blobs.checkPlaces().finally(blobs.close)
    }
    await opened().catch((error) => console.log(error.name, error.message))`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

it('a directory of objects that this user may not enter is said with its path when the store is opened', () =>
  inWorld(async ({ directory }) => {
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o777)
    const prefix = join(directory, 'ab')
    chmodSync(prefix, 0o600)
    // At the start, and while the server runs.
    for (const asItIs of [false, true])
      assert.match(
        openedByUser(directory, { asItIs }),
        new RegExp(`^StorageForbidden the user .* may not read and write ${prefix}, .*chown`),
      )
    chmodSync(prefix, 0o777)
    assert.equal(openedByUser(directory), '')
  }))

it('a directory of objects that this user may not write is said with its path', () =>
  inWorld(async ({ blobs, directory }) => {
    const location = freshLocation()
    const prefix = join(directory, location.slice(0, 2))
    await forbidding(prefix, async () => {
      await assert.rejects(writeBytes(blobs, location, BYTES), (error) => {
        assert.ok(error instanceof StorageForbidden, String(error))
        assert.ok(error.message.includes(join(directory, location)), error.message)
        return true
      })
    })
    await writeBytes(blobs, location, BYTES)
  }))
