import type { Bytes } from '@blindkeep/protocol/bytes'
import { ReasonedError } from '@blindkeep/protocol/reasonedError'
import { KEM_CIPHERTEXT_BYTES, KEM_PUBLIC_KEY_BYTES, KEM_SEED_BYTES } from '@blindkeep/protocol/suites'
import { primitives } from '#primitives'

const { xWing } = primitives

type KemFault = 'public_key_invalid' | 'ciphertext_invalid'

/** X-Wing cannot use this key or ciphertext. Both come from other parties, so this is not a fault of this program. */
export class KemError extends ReasonedError<KemFault> {
  override readonly name = 'KemError'
}

interface KemKeyPair {
  /** 32 bytes; the private key. */
  readonly seed: Bytes
  /** 1216 bytes: ML-KEM-768 ‖ X25519. */
  readonly publicKey: Bytes
}

/** X-Wing key pair (draft-connolly-cfrg-xwing-kem-10, section 5.2). Throws `RangeError` for another seed length. */
export function keyPairFromSeed(seed: Uint8Array): KemKeyPair {
  if (seed.length !== KEM_SEED_BYTES) throw new RangeError('an X-Wing seed is 32 bytes')
  return { seed: Uint8Array.from(seed), publicKey: xWing.publicKeyOf(Uint8Array.from(seed)) }
}

interface Encapsulation {
  /** 1120 bytes. */
  readonly kemCt: Bytes
  /** 32 bytes. */
  readonly sharedSecret: Bytes
}

/** A new shared secret for the holder of the private key (section 5.4). Throws `KemError` for an invalid public key. */
export function encapsulate(publicKey: Uint8Array): Encapsulation {
  if (publicKey.length !== KEM_PUBLIC_KEY_BYTES)
    throw new KemError('public_key_invalid', `an X-Wing public key is ${KEM_PUBLIC_KEY_BYTES} bytes`)
  try {
    const { cipherText, sharedSecret } = xWing.encapsulate(publicKey)
    return { kemCt: cipherText, sharedSecret }
  } catch (cause) {
    throw new KemError('public_key_invalid', 'not an X-Wing public key', { cause })
  }
}

/**
 * The shared secret of `kemCt` (section 5.5). A ciphertext for another key gives another secret and no error.
 * Throws `KemError` for a wrong length, and for an X25519 share that leaves no secret.
 */
export function decapsulate(seed: Uint8Array, kemCt: Uint8Array): Bytes {
  if (seed.length !== KEM_SEED_BYTES) throw new RangeError('an X-Wing seed is 32 bytes')
  if (kemCt.length !== KEM_CIPHERTEXT_BYTES)
    throw new KemError('ciphertext_invalid', `an X-Wing ciphertext is ${KEM_CIPHERTEXT_BYTES} bytes`)
  try {
    return xWing.decapsulate(kemCt, seed)
  } catch (cause) {
    throw new KemError('ciphertext_invalid', 'not an X-Wing ciphertext', { cause })
  }
}
