/** What is done with private keys. They rest sealed under the master secret and never leave this port in the clear. */
export interface Keyring {
  /** Seals a secret for rest. `name` is bound to it: what was sealed as one thing does not open as another. */
  seal(name: string, secret: Uint8Array): Uint8Array
  /** Throws `WrongMasterSecret` when it was sealed under another master secret or name, or altered. */
  open(name: string, sealed: Uint8Array): Uint8Array
  createAttestationKey(): { readonly publicKey: Uint8Array; readonly sealedPrivateKey: Uint8Array }
  /** Throws `WrongMasterSecret`, also when the private half does not belong to the public one. */
  openAttestationKey(key: { readonly publicKey: Uint8Array; readonly sealedPrivateKey: Uint8Array }): AttestationSigner
  createTokenKey(): Uint8Array
  openTokenKey(sealed: Uint8Array): TokenSigner
}

/** Signs off the event loop. */
export interface AttestationSigner {
  /** Ed25519 (RFC 8032), 64 bytes. */
  ed25519(message: Uint8Array): Promise<Uint8Array>
  /** ML-DSA-65 (FIPS 204, no context), 3309 bytes. */
  mlDsa65(message: Uint8Array): Promise<Uint8Array>
}

/** JWTs signed with EdDSA under the server's signing key (RFC 7519, RFC 8037). Deterministic: the same claims give the same token. */
export interface TokenSigner {
  /** Raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array
  sign(header: { readonly typ: string }, claims: Readonly<Record<string, string | number>>): Promise<string>
  /** The claims of a token whose signature holds and whose header is exactly `EdDSA` and `typ`; undefined for anything else. Time and audience are the caller's to judge. */
  verify(typ: string, token: string): Promise<Readonly<Record<string, unknown>> | undefined>
}

export class WrongMasterSecret extends Error {
  override readonly name = 'WrongMasterSecret'
}
