import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { Blobs } from '../ports/blobs.ts'
import { rangeOf } from './range.ts'
import { holds } from './reply.ts'

/** Sealed bytes as they are served: whole or one range of them (RFC 9110, section 14), under the hash as their ETag. */
export interface Content {
  readonly location: string
  readonly size: number
  readonly ciphertextHash: Sha256Hex
}

type Header = (name: string) => string | undefined

export function contentAnswer({ location, size, ciphertextHash }: Content, header: Header, blobs: Blobs) {
  const ETag = `"${ciphertextHash}"`
  if (holds(header('if-none-match'), ETag)) return { status: 304, headers: { ETag } } as const
  const isSame = header('if-range') === undefined || header('if-range') === ETag
  const range = isSame ? rangeOf(header('range'), size) : 'whole'
  if (range === 'unsatisfiable') return { refused: 'range_unsatisfiable', size } as const
  const { start, end } = range === 'whole' ? { start: 0, end: size } : range
  const bytes = blobs.read(location, { start, end })
  const headers = { ETag, 'Content-Length': String(end - start) } as const
  return range === 'whole'
    ? ({ status: 200, bytes, headers: { ...headers, 'Accept-Ranges': 'bytes' } } as const)
    : ({ status: 206, bytes, headers: { ...headers, 'Content-Range': `bytes ${start}-${end - 1}/${size}` } } as const)
}

export function contentHead({ size, ciphertextHash }: Content, header: Header) {
  const ETag = `"${ciphertextHash}"`
  if (holds(header('if-none-match'), ETag)) return { status: 304, headers: { ETag } } as const
  return { status: 200, headers: { ETag, 'Accept-Ranges': 'bytes', 'Content-Length': String(size) } } as const
}
