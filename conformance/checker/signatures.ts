/**
 * Verifies signatures with libraries that neither the server nor the clients of this project use: libsodium for Ed25519
 * (RFC 8032), which refuses malleable signatures, and liboqs for ML-DSA-65 (FIPS 204). Both packages contain
 * WebAssembly.
 */
import { createMLDSA65 } from '@oqs/liboqs-js/sig'
import sodium from 'libsodium-wrappers'
import type { Algorithm } from './form.ts'

export interface Signature {
  readonly publicKey: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

/** False for keys and signatures of a wrong length. */
export type Verify = (algorithm: Algorithm, signature: Signature) => boolean

const LENGTHS: Readonly<Record<Algorithm, { readonly publicKey: number; readonly signature: number }>> = {
  Ed25519: { publicKey: 32, signature: 64 },
  'ML-DSA-65': { publicKey: 1952, signature: 3309 },
}

/** Opened once, as compiling takes longer than to verify a hundred signatures. */
let opened: Promise<Verify> | undefined

export function openVerify(): Promise<Verify> {
  opened ??= open()
  return opened
}

async function open(): Promise<Verify> {
  const [mlDsa65] = await Promise.all([createMLDSA65(), sodium.ready])
  return (algorithm, { publicKey, message, signature }) => {
    const lengths = LENGTHS[algorithm]
    if (publicKey.length !== lengths.publicKey || signature.length !== lengths.signature) return false
    // Copies, because liboqs refuses a Buffer, although it is a Uint8Array.
    const [text, bytes, key] = [message, signature, publicKey].map((given) => Uint8Array.from(given))
    if (text === undefined || bytes === undefined || key === undefined) return false
    return algorithm === 'Ed25519'
      ? sodium.crypto_sign_verify_detached(bytes, text, key)
      : mlDsa65.verify(text, bytes, key)
  }
}
