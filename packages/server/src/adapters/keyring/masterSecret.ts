import { randomBytes } from 'node:crypto'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { decodeLine, NotText } from '@blindkeep/protocol/textFile'
import { isLacking, syncDirectories } from '../../ground/disk.ts'
import { StorageFull } from '../../ground/storageErrors.ts'

const SECRET_BYTES = 32
/** With any of these bits another user may use the file. */
const OTHERS_MODE = 0o077
/** Far more than 32 bytes as text need. Protects the memory if the path is wrong. */
const MAX_FILE_BYTES = 256

const hexForm = /^[0-9a-fA-F]{64}$/
const base64Form = /^[A-Za-z0-9+/]{43}=$/

/**
 * Reads 32 bytes from a file that has them as base64 or hex, with at most one newline at the end. With
 * `createIfMissing`, creates a missing file (mode 0600, durably). Throws an `Error` that tells the operator what to do.
 */
export async function readMasterSecret(request: {
  readonly path: string
  readonly createIfMissing: boolean
}): Promise<Buffer> {
  const path = resolve(request.path)
  const found = await readIfPresent(path)
  if (found !== undefined) return found
  if (!request.createIfMissing)
    throw new Error(
      `there is no master secret at ${path}; put it back from your safe copy, or set MASTER_SECRET_FILE to its path`,
    )
  await create(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOSPC' ? new StorageFull(`The disk of ${path} is full`, { cause: error }) : error
  })
  const created = await readIfPresent(path)
  if (created === undefined) throw new Error(`the master secret at ${path} disappeared while it was created`)
  return created
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const { mode } = await handle.stat()
    if ((mode & OTHERS_MODE) !== 0) {
      throw new Error(
        `other users may read or change the master secret; run: chmod 600 ${path}\nIf that changes nothing, its disk has no rights: mount it with umask=077, or set MASTER_SECRET_FILE to a file on another disk.`,
      )
    }
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0)
    return parse(buffer.subarray(0, bytesRead), path)
  } finally {
    await handle.close()
  }
}

function parse(content: Uint8Array, path: string): Buffer {
  const text = lineOf(content)
  if (hexForm.test(text)) return Buffer.from(text, 'hex')
  if (base64Form.test(text)) return Buffer.from(text, 'base64')
  throw new Error(`${path} is not a master secret: it has to contain 32 bytes as base64 or hex, and nothing else`)
}

function lineOf(content: Uint8Array): string {
  try {
    return decodeLine(content)
  } catch (error) {
    if (!(error instanceof NotText)) throw error
    return ''
  }
}

/** The whole file or none. Never replaces a secret of another process: what is sealed under it would be lost. */
async function create(path: string): Promise<void> {
  const directory = dirname(path)
  const oldestNew = await mkdir(directory, { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(8).toString('hex')}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(SECRET_BYTES).toString('base64')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await giveName(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
  // Sync up to the parent of the highest new directory.
  await syncDirectories(directory, oldestNew === undefined ? directory : dirname(oldestNew))
}

/** A hard link replaces nothing. Without links the name is taken first: a kill leaves an empty file, no secret. */
async function giveName(temporary: string, path: string): Promise<void> {
  try {
    try {
      await link(temporary, path)
    } catch (error) {
      if (!isLacking(error)) throw error
      await (await open(path, 'wx', 0o600)).close()
      await rename(temporary, path)
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
