import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { Serving } from '../domain/custody/servable.ts'
import { holds } from './reply.ts'
import { rangeOf } from './wire/range.ts'

/** Sealed bytes to serve, whole or one range (RFC 9110, section 14). Their hash is the ETag. */
export interface Content {
  readonly location: string
  readonly size: number
  readonly ciphertextHash: Sha256Hex
  /** Without it, the answer is `no-store`. */
  readonly cacheControl?: string
}

type Header = (name: string) => string | undefined

export function contentAnswer(content: Content, header: Header, serving: Serving) {
  const { size } = content
  const headers = headersOf(content)
  if (holds(header('if-none-match'), headers.ETag)) return { status: 304, headers } as const
  const isSame = header('if-range') === undefined || header('if-range') === headers.ETag
  const range = isSame ? rangeOf(header('range'), size) : 'whole'
  if (range === 'unsatisfiable') return { refused: 'range_unsatisfiable', size } as const
  const { start, end } = range === 'whole' ? { start: 0, end: size } : range
  const bytes = serving.read(content, { start, end })
  const given = { ...headers, 'Content-Length': String(end - start) }
  return range === 'whole'
    ? ({ status: 200, bytes, headers: { ...given, 'Accept-Ranges': 'bytes' } } as const)
    : ({ status: 206, bytes, headers: { ...given, 'Content-Range': `bytes ${start}-${end - 1}/${size}` } } as const)
}

export function contentHead(content: Content, header: Header) {
  const headers = headersOf(content)
  if (holds(header('if-none-match'), headers.ETag)) return { status: 304, headers } as const
  const given = { 'Accept-Ranges': 'bytes', 'Content-Length': String(content.size) }
  return { status: 200, headers: { ...headers, ...given } } as const
}

function headersOf({ ciphertextHash, cacheControl }: Content) {
  return { ETag: `"${ciphertextHash}"`, ...(cacheControl !== undefined && { 'Cache-Control': cacheControl }) }
}
