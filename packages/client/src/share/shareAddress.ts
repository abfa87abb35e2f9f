/**
 * The address of a share, `{PUBLIC_URL}/v/{opaque_id}#{fragment}`. A browser never sends the fragment: base64url,
 * unpadded, of version ‖ share key. Version 1 opens the share by itself; version 2 says that a passphrase is needed
 * too, whatever the server says. The server has the key only sealed under the owner's account key (`shareRecord.ts`),
 * so it cannot rebuild an address.
 */
import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { type OpaqueId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { base64urlnopad } from '@scure/base'
import { type AddressParts, addressOrUndefined, partsOfAddress, type ServerAddress } from '../http/baseUrl.ts'
import { ShareError } from './shareError.ts'

const [OPEN, WITH_PASSPHRASE] = [1, 2]
/** 33 bytes are exactly 44 characters (RFC 4648, section 5). */
const form = /^[A-Za-z0-9_-]{44}$/

export type ShareParts = AddressParts

export interface ShareAddress extends ServerAddress {
  readonly opaqueId: OpaqueId
  /** 32 bytes. */
  readonly shareKey: Bytes
  /** Whether the address opens nothing without a passphrase. */
  readonly needsPassphrase: boolean
}

type ShareFragment = Pick<ShareAddress, 'shareKey' | 'needsPassphrase'>

/** Throws `RangeError` for a key of another length. */
export function makeShareFragment({ shareKey, needsPassphrase }: ShareFragment): string {
  if (shareKey.length !== KEY_BYTES) throw new RangeError(`a share key is ${KEY_BYTES} bytes`)
  return base64urlnopad.encode(concatBytes(Uint8Array.of(needsPassphrase ? WITH_PASSPHRASE : OPEN), shareKey))
}

/** With or without `#`. Undefined for any other text. */
export function parseShareFragment(text: string): ShareFragment | undefined {
  const encoded = text.startsWith('#') ? text.slice(1) : text
  if (!form.test(encoded)) return undefined
  const [version, ...shareKey] = base64urlnopad.decode(encoded)
  if (version !== OPEN && version !== WITH_PASSPHRASE) return undefined
  return { shareKey: Uint8Array.from(shareKey), needsPassphrase: version === WITH_PASSPHRASE }
}

export function formatShare({ baseUrl, opaqueId, ...fragment }: ShareAddress): string {
  return `${baseUrl}/v/${opaqueId}#${makeShareFragment(fragment)}`
}

/** Throws `ShareError`: `malformed`, or `fragment_missing`. */
export function parseShare(address: string | ShareParts): ShareAddress {
  const parts = partsOfAddress(address, 'v')
  const opaqueId = parseOpaqueId(parts?.opaqueId ?? '')
  if (parts === undefined || opaqueId === undefined) throw new ShareError('malformed')
  if (parts.fragment === '' || parts.fragment === '#') throw new ShareError('fragment_missing')
  const fragment = parseShareFragment(parts.fragment)
  if (fragment === undefined) throw new ShareError('malformed')
  const server = addressOrUndefined(parts)
  if (server === undefined) throw new ShareError('malformed')
  return { ...server, opaqueId, ...fragment }
}
