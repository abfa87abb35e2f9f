import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import type { Count } from './counts.ts'
import { ID_BYTES } from './ids.ts'

const MAGIC_BYTES = 8
const TAG_BYTES = 32
const HEAD_BYTES = MAGIC_BYTES + TAG_BYTES

/** A record is an id, a count, and the end of the window in milliseconds as a double. Numbers are big-endian. */
interface Format {
  readonly magic: Buffer
  /** Part of the tag, so that a file of one format cannot pass as a file of another format. */
  readonly label: string
  /** A double holds every whole number up to 2^53 - 1. */
  readonly count: 'uint32' | 'double'
  readonly recordBytes: number
}

const FORMAT: Format = {
  magic: Buffer.from('BKLIMIT2', 'latin1'),
  label: 'counts-file/2\0',
  count: 'double',
  recordBytes: ID_BYTES + 8 + 8,
}
/** The format before limits had weights. Still read, so that the first start after an update keeps the counts. */
const FIRST_FORMAT: Format = {
  magic: Buffer.from('BKLIMIT1', 'latin1'),
  label: 'counts-file\0',
  count: 'uint32',
  recordBytes: ID_BYTES + 4 + 8,
}
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** The file is not a file of counts, is truncated, or was altered. */
export class CountsFileBroken extends Error {
  override readonly name = 'CountsFileBroken'
}

/** Magic ‖ HMAC-SHA-256 of label and records ‖ records. */
export function encodeCounts(secret: Uint8Array, counts: readonly Count[]): Buffer {
  const { magic, recordBytes } = FORMAT
  const file = Buffer.alloc(HEAD_BYTES + counts.length * recordBytes)
  magic.copy(file)
  for (const [index, { id, taken, endsAt }] of counts.entries()) {
    const start = HEAD_BYTES + index * recordBytes
    file.write(id, start, 'latin1')
    file.writeDoubleBE(taken, start + ID_BYTES)
    file.writeDoubleBE(endsAt, start + recordBytes - 8)
  }
  tagOf(secret, FORMAT, file).copy(file, MAGIC_BYTES)
  return file
}

export function decodeCounts(secret: Uint8Array, file: Buffer): readonly Count[] {
  const format = [FORMAT, FIRST_FORMAT].find(({ magic }) => file.subarray(0, MAGIC_BYTES).equals(magic))
  const isWhole = file.length >= HEAD_BYTES && (file.length - HEAD_BYTES) % (format?.recordBytes ?? 1) === 0
  if (format === undefined || !isWhole) throw new CountsFileBroken('not a file of counts')
  if (!timingSafeEqual(file.subarray(MAGIC_BYTES, HEAD_BYTES), tagOf(secret, format, file)))
    throw new CountsFileBroken('altered')
  const { recordBytes, count } = format
  return Array.from({ length: (file.length - HEAD_BYTES) / recordBytes }, (_, index) => {
    const record = file.subarray(HEAD_BYTES + index * recordBytes)
    return {
      id: record.toString('latin1', 0, ID_BYTES),
      taken: count === 'uint32' ? record.readUInt32BE(ID_BYTES) : record.readDoubleBE(ID_BYTES),
      endsAt: record.readDoubleBE(recordBytes - 8),
    }
  })
}

function tagOf(secret: Uint8Array, { label }: Format, file: Buffer): Buffer {
  return createHmac('sha256', secret).update(label).update(file.subarray(HEAD_BYTES)).digest()
}

/** Undefined if there is no file. */
export async function readCountsFile(path: string): Promise<Buffer | undefined> {
  try {
    if ((await stat(path)).size > MAX_FILE_BYTES) throw new CountsFileBroken('too large')
    return await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
