/** The keys of a drop, seen from both ends: a guest who has link and public key, and the owner who has the account key. */
import { type Bytes, equalBytes } from '@blindkeep/protocol/bytes'
import { SUITE_ID } from '@blindkeep/protocol/suites'
import { dropKey, dropKeySeed, linkSecret } from '../seal/derive.ts'
import { decapsulate, encapsulate, KemError, keyPairFromSeed } from '../seal/kem.ts'
import type { KeySource } from '../seal/openHeader.ts'
import { SealError } from '../seal/sealError.ts'
import { type Fragment, fragmentMatches, makeFragment } from './fragment.ts'

/** All of a link that follows from the account key and its id. Owners derive it and never read it from the server's list. */
export interface LinkKeys {
  /** 16 bytes. */
  readonly opaqueId: Bytes
  /** 32 bytes. */
  readonly seed: Bytes
  /** 1216 bytes: `drop_pubkey`. */
  readonly dropPublicKey: Bytes
  /** 16 bytes. */
  readonly linkSecret: Bytes
  /** What stands behind the `#` of the link. */
  readonly fragment: string
}

/** The keys of one of the owner's own links, by its opaque id (hex). */
export type LinkKeysOf = (opaqueId: string) => LinkKeys

export function linkKeysOf(accountKey: Uint8Array, opaqueId: Uint8Array): LinkKeys {
  const { seed, publicKey } = keyPairFromSeed(dropKeySeed(accountKey, opaqueId))
  const secret = linkSecret(accountKey, opaqueId)
  const fragment = makeFragment({ suiteId: SUITE_ID, opaqueId, dropPublicKey: publicKey, linkSecret: secret })
  return { opaqueId: Uint8Array.from(opaqueId), seed, dropPublicKey: publicKey, linkSecret: secret, fragment }
}

/** The server's key is not the one that the owner put into the link: it was swapped, or the link is damaged. Nothing is sealed under it. */
export class KeyMismatch extends Error {
  override readonly name = 'KeyMismatch'

  constructor() {
    super('the key that the server gave is not the one in the link')
  }
}

export interface DropSeal {
  /** K, 32 bytes. */
  readonly key: Bytes
  /** 1120 bytes, declared to the server and put into the blob. */
  readonly kemCt: Bytes
}

export interface GuestLink {
  readonly fragment: Fragment
  readonly suiteId: number
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** As the server gave it. */
  readonly dropPublicKey: Uint8Array
}

/** A new K for one drop. Throws `KeyMismatch` before anything is made when the fragment does not confirm the server's key. */
export function createDropKey({ fragment, suiteId, opaqueId, dropPublicKey }: GuestLink): DropSeal {
  if (suiteId !== SUITE_ID || !fragmentMatches(fragment, { suiteId, opaqueId, dropPublicKey })) throw new KeyMismatch()
  const { kemCt, sharedSecret } = encapsulate(dropPublicKey)
  return { key: dropKey({ sharedSecret, linkSecret: fragment.linkSecret, opaqueId, dropPublicKey, kemCt }), kemCt }
}

/** K of a drop that arrived over one's own link. Throws `SealError` for a `kem_ct` that is none. */
export function recoverDropKey(keys: LinkKeys, kemCt: Uint8Array): Bytes {
  try {
    return dropKey({ ...keys, sharedSecret: decapsulate(keys.seed, kemCt), kemCt })
  } catch (cause) {
    if (!(cause instanceof KemError)) throw cause
    throw new SealError('kem_ct_invalid', 'the drop’s encapsulated key is not readable', { cause })
  }
}

/** For `openBlob` and `openPrefix`: finds K from the `kem_ct` inside the blob, which has to be the one the server listed when that is given. */
export function dropKeySource(keys: LinkKeys, listedKemCt?: Uint8Array): KeySource {
  return (kemCt) => {
    if (kemCt === undefined) throw new SealError('unknown_format', 'sealed, but not as a drop')
    if (listedKemCt !== undefined && !equalBytes(kemCt, listedKemCt))
      throw new SealError('kem_ct_invalid', 'the inbox names another encapsulated key than the drop carries')
    return recoverDropKey(keys, kemCt)
  }
}
