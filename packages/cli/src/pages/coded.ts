/** The bytes of an answer without their coding, only where every browser decodes the same ones. */
import zlib from 'node:zlib'
import type { Answer } from './asking.ts'

interface Inflated {
  readonly buffer: Uint8Array
  readonly engine: { readonly bytesWritten: number }
}

/**
 * Throws for what cannot be decoded, for more than `maxBytes`, and for anything behind the first stream: of several
 * members or frames Node decodes all or the first, browsers others.
 */
export function decoded({ headers, body }: Pick<Answer, 'headers' | 'body'>, maxBytes: number): Uint8Array {
  const coding = headers.get('content-encoding')?.join(', ').trim().toLowerCase() ?? 'identity'
  const options = { maxOutputLength: Math.max(1, maxBytes), info: true }
  if (coding === 'identity') return body
  if (coding === 'br') return whole(zlib.brotliDecompressSync(body, options), body.length)
  // From Node 22.15 on.
  if (coding === 'zstd' && 'zstdDecompressSync' in zlib)
    return whole(zlib.zstdDecompressSync(body, options), body.length)
  if (coding === 'gzip') {
    const start = gzipHeaderLength(Buffer.from(body))
    const first = whole(zlib.inflateRawSync(body.subarray(start), options), body.length - start - GZIP_TRAILER_BYTES)
    // Compares the checksum.
    zlib.gunzipSync(body, options)
    return first
  }
  throw new RangeError('a coding that no browser asks for')
}

const GZIP_TRAILER_BYTES = 8

/** RFC 1952, section 2.3. */
function gzipHeaderLength(body: Buffer): number {
  const flags = body.readUInt8(3)
  let at = 10
  if (flags & 0x04) at += 2 + body.readUInt16LE(at)
  for (const text of [0x08, 0x10]) if (flags & text) at = body.indexOf(0, at) + 1
  return flags & 0x02 ? at + 2 : at
}

/** @param result what zlib returns with `info`, for which its types have no name */
function whole(result: unknown, length: number): Uint8Array {
  const { buffer, engine } = result as Inflated
  if (engine.bytesWritten !== length) throw new RangeError('something follows the coded bytes')
  return buffer
}
