import { randomBytes } from 'node:crypto'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const SECRET_BYTES = 32
/** Any of these bits lets someone other than the file's owner in. */
const OTHERS_MODE = 0o077
/** Far more than the text of 32 bytes; keeps a mistaken path from being read into memory. */
const MAX_FILE_BYTES = 256

const hexForm = /^[0-9a-fA-F]{64}\n?$/
const base64Form = /^[A-Za-z0-9+/]{43}=\n?$/

/**
 * 32 bytes from a file that holds them as base64 or hex, one trailing newline allowed. A missing file is created (mode 0600, durably) when
 * `createIfMissing`. Throws an `Error` whose message tells the operator what to do.
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
      `there is no master secret at ${path}; put it back from where it is kept, or set MASTER_SECRET_FILE to where it is`,
    )
  await create(path)
  const created = await readIfPresent(path)
  if (created === undefined) throw new Error(`the master secret at ${path} vanished while it was made`)
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
      throw new Error(`others may read or change the master secret; run: chmod 600 ${path}`)
    }
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0)
    return parse(buffer.toString('latin1', 0, bytesRead), path)
  } finally {
    await handle.close()
  }
}

function parse(text: string, path: string): Buffer {
  if (hexForm.test(text)) return Buffer.from(text.trim(), 'hex')
  if (base64Form.test(text)) return Buffer.from(text.trim(), 'base64')
  throw new Error(`${path} is not a master secret: it has to hold 32 bytes as base64 or hex, and nothing else`)
}

/** Whole under its name or not there at all, and never over a secret that another start has just made: everything sealed would be lost with it. */
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
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  // Up to the directory that holds the highest new entry.
  const highest = oldestNew === undefined ? directory : dirname(oldestNew)
  await syncDirectory(highest)
  for (let above = directory; above !== highest; above = dirname(above)) await syncDirectory(above)
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
