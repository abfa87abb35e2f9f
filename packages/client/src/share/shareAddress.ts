/**
 * The address of a share, `{PUBLIC_URL}/v/{opaque_id}#{fragment}`. A browser never sends the fragment: base64url, unpadded, of version 1 ‖ share key.
 * The key is stored nowhere else, so neither the server nor the owner can rebuild an address from the server's data.
 */
import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { type OpaqueId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { base64urlnopad } from '@scure/base'
import { parseBaseUrl } from '../http/baseUrl.ts'
import { ShareError } from './shareError.ts'

const VERSION = 1
/** 33 bytes are exactly 44 characters (RFC 4648, section 5). */
const form = /^[A-Za-z0-9_-]{44}$/

/** The parts of an address, as a page at that address knows them. */
export interface ShareParts {
  readonly baseUrl: string
  readonly opaqueId: string
  /** With or without its `#`. */
  readonly fragment: string
}

export interface ShareAddress {
  readonly baseUrl: string
  readonly opaqueId: OpaqueId
  /** 32 bytes. */
  readonly shareKey: Bytes
}

/** Throws `RangeError` for a key of another length. */
export function makeShareFragment(shareKey: Uint8Array): string {
  if (shareKey.length !== KEY_BYTES) throw new RangeError(`a share key is ${KEY_BYTES} bytes`)
  return base64urlnopad.encode(concatBytes(Uint8Array.of(VERSION), shareKey))
}

/** The share key of a fragment, with or without `#`. Undefined for any other text. */
export function parseShareFragment(text: string): Bytes | undefined {
  const encoded = text.startsWith('#') ? text.slice(1) : text
  if (!form.test(encoded)) return undefined
  const bytes = base64urlnopad.decode(encoded)
  return bytes[0] === VERSION ? Uint8Array.from(bytes.subarray(1)) : undefined
}

export function formatShare({ baseUrl, opaqueId, shareKey }: ShareAddress): string {
  return `${baseUrl}/v/${opaqueId}#${makeShareFragment(shareKey)}`
}

/** Throws `ShareError`: `malformed`, or `fragment_missing`. */
export function parseShare(address: string | ShareParts): ShareAddress {
  const parts = typeof address === 'string' ? partsOf(address) : address
  const opaqueId = parseOpaqueId(parts.opaqueId)
  if (opaqueId === undefined) throw new ShareError('malformed')
  if (parts.fragment === '' || parts.fragment === '#') throw new ShareError('fragment_missing')
  const shareKey = parseShareFragment(parts.fragment)
  if (shareKey === undefined) throw new ShareError('malformed')
  return { baseUrl: baseUrlOf(parts.baseUrl), opaqueId, shareKey }
}

function partsOf(text: string): ShareParts {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  const [, path, opaqueId] = /^(.*)\/v\/([^/]+)\/?$/.exec(url?.pathname ?? '') ?? []
  if (url === undefined || path === undefined || opaqueId === undefined) throw new ShareError('malformed')
  return { baseUrl: `${url.origin}${path}`, opaqueId, fragment: url.hash }
}

function baseUrlOf(text: string): string {
  try {
    return parseBaseUrl(text)
  } catch {
    throw new ShareError('malformed')
  }
}
