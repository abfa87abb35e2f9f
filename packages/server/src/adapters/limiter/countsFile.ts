import { createHmac, timingSafeEqual } from 'node:crypto'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { type Count, ID_BYTES } from './counts.ts'

const MAGIC = Buffer.from('BKLIMIT1', 'latin1')
const TAG_BYTES = 32
const HEAD_BYTES = MAGIC.length + TAG_BYTES
/** Id, count as 4 bytes, end of the window in milliseconds as a double; numbers most significant byte first. */
const RECORD_BYTES = ID_BYTES + 4 + 8
const FILE_BYTES_MAX = 64 * 1024 * 1024

/** The file is not one of ours, was cut or was altered. */
export class CountsFileBroken extends Error {
  override readonly name = 'CountsFileBroken'
}

/** Magic ‖ HMAC-SHA-256 of the records ‖ records. */
export function encodeCounts(secret: Uint8Array, counts: readonly Count[]): Buffer {
  const file = Buffer.alloc(HEAD_BYTES + counts.length * RECORD_BYTES)
  MAGIC.copy(file)
  for (const [index, { id, taken, endsAt }] of counts.entries()) {
    const start = HEAD_BYTES + index * RECORD_BYTES
    file.write(id, start, 'latin1')
    file.writeUInt32BE(taken, start + ID_BYTES)
    file.writeDoubleBE(endsAt, start + ID_BYTES + 4)
  }
  tagOf(secret, file).copy(file, MAGIC.length)
  return file
}

export function decodeCounts(secret: Uint8Array, file: Buffer): readonly Count[] {
  const isWhole = file.length >= HEAD_BYTES && (file.length - HEAD_BYTES) % RECORD_BYTES === 0
  if (!isWhole || !file.subarray(0, MAGIC.length).equals(MAGIC)) throw new CountsFileBroken('not a file of counts')
  if (!timingSafeEqual(file.subarray(MAGIC.length, HEAD_BYTES), tagOf(secret, file)))
    throw new CountsFileBroken('altered')
  return Array.from({ length: (file.length - HEAD_BYTES) / RECORD_BYTES }, (_, index) => {
    const record = file.subarray(HEAD_BYTES + index * RECORD_BYTES)
    return {
      id: record.toString('latin1', 0, ID_BYTES),
      taken: record.readUInt32BE(ID_BYTES),
      endsAt: record.readDoubleBE(ID_BYTES + 4),
    }
  })
}

function tagOf(secret: Uint8Array, file: Buffer): Buffer {
  return createHmac('sha256', secret).update('counts-file\0').update(file.subarray(HEAD_BYTES)).digest()
}

/** Undefined when there is none. */
export async function readCountsFile(path: string): Promise<Buffer | undefined> {
  try {
    if ((await stat(path)).size > FILE_BYTES_MAX) throw new CountsFileBroken('too large')
    return await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces the file whole. Synced before it takes the name, or a power cut could leave an empty file in the place of the old one. */
export async function writeCountsFile(path: string, bytes: Buffer): Promise<void> {
  const temporary = `${path}.new`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path)
}
