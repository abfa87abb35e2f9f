import type { Bytes } from '@blindkeep/protocol/bytes'

/**
 * The algorithms of crypto suite 1 that WebCrypto lacks. `#primitives` is noble's code in browsers and in a Node that
 * lacks one of them, otherwise Node's own: a start of the command line needs them cold, where they cost a third of its
 * processor time (decisions/runtime.md). Both give the same results and verdicts.
 */
export interface Primitives {
  readonly ed25519: SignatureScheme
  readonly mlDsa65: SignatureScheme
  /** HKDF with SHA-512 (RFC 5869); without a salt, zeros. */
  hkdfSha512(ikm: Uint8Array, salt: Uint8Array | undefined, info: Uint8Array, bytes: number): Bytes
  hmacSha256(key: Uint8Array, message: Uint8Array): Bytes
  /** X-Wing (draft-connolly-cfrg-xwing-kem-10). `seed` has 32 bytes. */
  readonly xWing: {
    /** 1216 bytes: ML-KEM-768 ‖ X25519. */
    publicKeyOf(seed: Uint8Array): Bytes
    /** 1120 bytes for the holder of the seed, and the secret of 32 bytes in them. Throws for no public key. */
    encapsulate(publicKey: Uint8Array): { readonly cipherText: Bytes; readonly sharedSecret: Bytes }
    /** Throws for an X25519 share that leaves no secret. */
    decapsulate(cipherText: Uint8Array, seed: Uint8Array): Bytes
  }
}

/** A private key is its seed, 32 bytes. Throws for a seed of another length. */
interface SignatureScheme {
  publicKeyOf(seed: Uint8Array): Bytes
  sign(message: Uint8Array, seed: Uint8Array): Bytes
  /** May throw for what cannot be a key or a signature. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean | Promise<boolean>
}
