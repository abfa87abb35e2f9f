import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createSealer } from '../seal/seal.ts'
import { hashSealed } from '../seal/sealStream.ts'
import { SourceChanged } from '../seal/source.ts'
import { openFile } from './fileSource.ts'

/** In memory, where a file may have any date. */
const MEMORY = '/dev/shm'

let directory: string
let path: string

beforeEach(async () => {
  directory = await mkdtemp(join(MEMORY, 'blindkeep-source-'))
  path = join(directory, 'file')
  await writeFile(path, 'content')
})

afterEach(() => rm(directory, { recursive: true }))

async function contentAt(from: string): Promise<string> {
  const { source, close } = await openFile(from)
  const bytes = Buffer.from(await source.read(0, source.size))
  await source.requireEnd()
  await close()
  return bytes.toString()
}

/** The hashing pass, which both sending and comparing before a deletion begin with. */
async function hashOpened(change: () => Promise<void>): Promise<unknown> {
  const { source, close } = await openFile(path)
  const sealer = await createSealer({
    key: new Uint8Array(32),
    purpose: 'original',
    contextId: new Uint8Array(16),
    header: { size: source.size },
  })
  try {
    await change()
    return await hashSealed({ sealer, source })
  } finally {
    await close()
  }
}

describe('a file that states another size than it has', () => {
  it('is read to its end when it states none', async () => {
    const version = '/proc/version'
    assert.ok((await contentAt(version)).length > 0)
    assert.equal(await contentAt(version), await readFile(version, 'utf8'))
  })

  it('is read to its end when it states more', async () => {
    assert.match(await contentAt('/sys/devices/system/cpu/online'), /^[\d,-]+\n$/)
  })
})

describe('a file that goes on as it is read', () => {
  it('is measured for a while and refused', async () => {
    await assert.rejects(
      openFile('/dev/zero', AbortSignal.timeout(100_000)),
      (error) => error instanceof SourceChanged && /still being written/.test(error.message),
    )
  })
})

describe('a file that changes while it is open', () => {
  it('is no source of less than it has, nor of more', async () => {
    await assert.rejects(
      hashOpened(() => appendFile(path, '!')),
      SourceChanged,
    )
    await assert.rejects(
      hashOpened(() => truncate(path, 3)),
      SourceChanged,
    )
    await writeFile(path, '')
    await assert.rejects(
      hashOpened(() => appendFile(path, '!')),
      SourceChanged,
    )
    await hashOpened(async () => undefined)
  })
})

describe('the date of a file', () => {
  const open = async (at: Date | number) => {
    await utimes(path, at, at)
    const { modifiedAt, close } = await openFile(path)
    await close()
    return modifiedAt
  }

  it('is said before 1970 and after 2242', async () => {
    for (const text of ['0100-01-01T00:00:00.000Z', '1969-12-31T23:59:58.000Z', '2300-01-01T00:00:00.000Z'])
      assert.equal(await open(new Date(text)), text)
  })

  it('never keeps a file from being opened, and leaves no descriptor', async () => {
    const descriptors = async () => (await readdir('/proc/self/fd')).length
    const before = await descriptors()
    for (const seconds of [253_402_300_800, 9e12]) assert.equal(await open(seconds), undefined)
    assert.equal(await descriptors(), before)
  })
})
