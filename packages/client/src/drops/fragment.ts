/**
 * The fragment of an upload link: the part that a browser never sends. It contains the link secret, and a hash of the
 * drop key, by which the guest's client verifies the key from the server.
 */

import { type Bytes, concatBytes, equalBytes, uint32be, utf8 } from '@blindkeep/protocol/bytes'
import { ID_BYTES, LINK_SECRET_BYTES } from '@blindkeep/protocol/suites'
import { SERVICE } from '@blindkeep/protocol/wire'
import { sha256 } from '@noble/hashes/sha2.js'
import { base64urlnopad } from '@scure/base'

const VERSION = 1
const HASH_BYTES = 32
const FRAGMENT_BYTES = 1 + LINK_SECRET_BYTES + HASH_BYTES
/** 49 bytes are 66 characters without padding (RFC 4648, section 5). */
const form = /^[A-Za-z0-9_-]{66}$/

interface LinkKey {
  readonly suiteId: number
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** `drop_pubkey` as bytes. */
  readonly dropPublicKey: Uint8Array
}

export interface Fragment {
  /** 16 bytes. */
  readonly linkSecret: Bytes
  /** SHA-256 over suite, opaque_id and drop key. */
  readonly keyHash: Bytes
}

function keyHash({ suiteId, opaqueId, dropPublicKey }: LinkKey): Bytes {
  if (opaqueId.length !== ID_BYTES) throw new RangeError('opaque_id is 16 bytes')
  return sha256(concatBytes(utf8(`${SERVICE}/link/1\0`), uint32be(suiteId), opaqueId, dropPublicKey))
}

/** base64url of version 1 ‖ link secret ‖ SHA-256(label ‖ suite ‖ opaque_id ‖ drop_pubkey). Throws `RangeError`. */
export function makeFragment(linkKey: LinkKey & { readonly linkSecret: Uint8Array }): string {
  if (linkKey.linkSecret.length !== LINK_SECRET_BYTES) throw new RangeError('a link secret is 16 bytes')
  return base64urlnopad.encode(concatBytes(Uint8Array.of(VERSION), linkKey.linkSecret, keyHash(linkKey)))
}

/** Reads a fragment, with or without `#`. Undefined for any other text: a truncated link must not work partially. */
export function parseFragment(text: string): Fragment | undefined {
  const encoded = text.startsWith('#') ? text.slice(1) : text
  if (!form.test(encoded)) return undefined
  const bytes = decoded(encoded)
  if (bytes?.length !== FRAGMENT_BYTES || bytes[0] !== VERSION) return undefined
  const secretEnd = 1 + LINK_SECRET_BYTES
  return {
    linkSecret: Uint8Array.from(bytes.subarray(1, secretEnd)),
    keyHash: Uint8Array.from(bytes.subarray(secretEnd)),
  }
}

function decoded(encoded: string): Uint8Array | undefined {
  try {
    return base64urlnopad.decode(encoded)
  } catch {
    return undefined
  }
}

/** Whether the drop key from a server is the one in the link. If not, nothing may be sealed. */
export function fragmentMatches(fragment: Fragment, linkKey: LinkKey): boolean {
  return equalBytes(fragment.keyHash, keyHash(linkKey))
}
