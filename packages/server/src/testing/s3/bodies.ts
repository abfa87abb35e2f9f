import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Larger bodies go to files. */
const MEMORY_BYTES = 1024 * 1024

/** Bytes that never change: slices of buffers and files, in order. Copies and completed uploads share them. */
export type Body = readonly Slice[]

interface Slice {
  readonly source: Buffer | string
  readonly start: number
  readonly end: number
}

/** Where the double keeps bytes. Files stay until `close`, because bodies share them. */
export interface Bodies {
  /** Takes all bytes; `onBytes` sees each piece. Throws what `stream` throws. */
  take(stream: AsyncIterable<Buffer>, onBytes: (piece: Buffer) => void): Promise<Body>
  close(): Promise<void>
}

export async function createBodies(): Promise<Bodies> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-s3-'))
  return {
    async take(stream, onBytes) {
      const pieces: Buffer[] = []
      let bytes = 0
      const rest = stream[Symbol.asyncIterator]()
      while (bytes <= MEMORY_BYTES) {
        const step = await rest.next()
        if (step.done === true) return whole(Buffer.concat(pieces), bytes)
        onBytes(step.value)
        pieces.push(step.value)
        bytes += step.value.length
      }
      const path = join(directory, randomUUID())
      const file = await open(path, 'wx')
      try {
        await file.appendFile(Buffer.concat(pieces))
        for (let step = await rest.next(); step.done !== true; step = await rest.next()) {
          onBytes(step.value)
          await file.appendFile(step.value)
          bytes += step.value.length
        }
      } finally {
        await file.close()
      }
      return whole(path, bytes)
    },
    close: () => rm(directory, { recursive: true, force: true }),
  }
}

function whole(source: Buffer | string, bytes: number): Body {
  return [{ source, start: 0, end: bytes }]
}

export function sizeOf(body: Body): number {
  return body.reduce((sum, { start, end }) => sum + end - start, 0)
}

/** The bytes from `start` up to, not including, `end`. */
export function sliceOf(body: Body, start: number, end: number): Body {
  const slices: Slice[] = []
  let before = 0
  for (const slice of body) {
    const from = slice.start + Math.max(0, start - before)
    const to = slice.start + Math.min(slice.end - slice.start, end - before)
    if (from < to) slices.push({ source: slice.source, start: from, end: to })
    before += slice.end - slice.start
  }
  return slices
}

export async function* piecesOf(body: Body): AsyncGenerator<Buffer> {
  for (const { source, start, end } of body) {
    if (start === end) continue
    if (typeof source === 'string') yield* createReadStream(source, { start, end: end - 1, highWaterMark: 256 * 1024 })
    else yield source.subarray(start, end)
  }
}
