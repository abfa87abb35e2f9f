/** The keys of a drop, from both sides: the guest has the link and the public key, the owner has the account key. */
import { type Bytes, equalBytes } from '@blindkeep/protocol/bytes'
import { SUITE_ID } from '@blindkeep/protocol/suites'
import { dropKey, dropKeySeed, linkSecret } from '../seal/derive.ts'
import { decapsulate, encapsulate, KemError, keyPairFromSeed } from '../seal/kem.ts'
import type { KeySource } from '../seal/openHeader.ts'
import { SealError } from '../seal/sealError.ts'
import { type Fragment, fragmentMatches, makeFragment } from './fragment.ts'

/** Everything about a link that derives from the account key and its id. The owner never reads it from the server. */
export interface LinkKeys {
  /** 16 bytes. */
  readonly opaqueId: Bytes
  /** 32 bytes. */
  readonly seed: Bytes
  /** 1216 bytes: `drop_pubkey`. */
  readonly dropPublicKey: Bytes
  /** 16 bytes. */
  readonly linkSecret: Bytes
  /** The part of the link after `#`. */
  readonly fragment: string
}

/** The keys of one of the owner's links, by its opaque id in hex. */
export type LinkKeysOf = (opaqueId: string) => LinkKeys

export function linkKeysOf(accountKey: Uint8Array, opaqueId: Uint8Array): LinkKeys {
  const { seed, publicKey } = keyPairFromSeed(dropKeySeed(accountKey, opaqueId))
  const secret = linkSecret(accountKey, opaqueId)
  const fragment = makeFragment({ suiteId: SUITE_ID, opaqueId, dropPublicKey: publicKey, linkSecret: secret })
  return { opaqueId: Uint8Array.from(opaqueId), seed, dropPublicKey: publicKey, linkSecret: secret, fragment }
}

/** The server's drop key is not the link's: it was swapped, or the link is damaged. Nothing is sealed under it. */
export class KeyMismatch extends Error {
  override readonly name = 'KeyMismatch'

  constructor() {
    super('the drop key from the server is not the one in the link')
  }
}

export interface DropSeal {
  /** K, 32 bytes. */
  readonly key: Bytes
  /** 1120 bytes: declared to the server and stored in the blob. */
  readonly kemCt: Bytes
}

interface GuestLink {
  readonly fragment: Fragment
  readonly suiteId: number
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** From the server, unverified. */
  readonly dropPublicKey: Uint8Array
}

/** A new K for one drop. Throws `KeyMismatch` when the fragment does not confirm the server's key. */
export function createDropKey({ fragment, suiteId, opaqueId, dropPublicKey }: GuestLink): DropSeal {
  if (suiteId !== SUITE_ID || !fragmentMatches(fragment, { suiteId, opaqueId, dropPublicKey })) throw new KeyMismatch()
  const { kemCt, sharedSecret } = encapsulate(dropPublicKey)
  return { key: dropKey({ sharedSecret, linkSecret: fragment.linkSecret, opaqueId, dropPublicKey, kemCt }), kemCt }
}

/** K of a drop that arrived through one of the owner's links. Throws `SealError` for an invalid `kem_ct`. */
export function recoverDropKey(keys: LinkKeys, kemCt: Uint8Array): Bytes {
  try {
    return dropKey({ ...keys, sharedSecret: decapsulate(keys.seed, kemCt), kemCt })
  } catch (cause) {
    if (!(cause instanceof KemError)) throw cause
    throw new SealError('kem_ct_invalid', 'the drop’s encapsulated key is not readable', { cause })
  }
}

/** For `openBlob` and `openPrefix`: derives K from the blob's `kem_ct`, which must equal a given `listedKemCt`. */
export function dropKeySource(keys: LinkKeys, listedKemCt?: Uint8Array): KeySource {
  return (kemCt) => {
    if (kemCt === undefined) throw new SealError('unknown_format', 'a sealed blob, but not a drop')
    if (listedKemCt !== undefined && !equalBytes(kemCt, listedKemCt))
      throw new SealError('kem_ct_invalid', 'the inbox lists another encapsulated key than the drop contains')
    return recoverDropKey(keys, kemCt)
  }
}
