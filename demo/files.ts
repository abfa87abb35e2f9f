import { createCipheriv, createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const PIECE_BYTES = 1024 * 1024

export interface DemoFile {
  readonly name: string
  readonly path: string
  readonly size: number
  /** SHA-256 of the file itself, lowercase hex; the server never learns it. */
  readonly hash: string
}

/** Writes `size` pseudo-random bytes, the same ones for the same name. */
export async function writeFile(path: string, name: string, size: number): Promise<DemoFile> {
  const hash = createHash('sha256')
  await pipeline(Readable.from(pieces(name, size, hash)), createWriteStream(path))
  return { name, path, size, hash: hash.digest('hex') }
}

function* pieces(seed: string, size: number, hash: { update(bytes: Uint8Array): unknown }): Generator<Buffer> {
  const key = createHash('sha256').update(seed).digest()
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const zeros = Buffer.alloc(PIECE_BYTES)
  for (let left = size; left > 0; left -= PIECE_BYTES) {
    const piece = stream.update(zeros.subarray(0, Math.min(left, PIECE_BYTES)))
    hash.update(piece)
    yield piece
  }
}
