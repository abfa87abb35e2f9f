import type { CoseToBeSigned } from '@blindkeep/protocol/cose'
import type { KeyId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { ReceiptPayload } from '@blindkeep/protocol/receipt'

/** All use of private keys. They are stored sealed under the master secret and never leave this port unsealed. */
export interface Keyring {
  /** Seals a secret under the master secret, for storage. The result opens only under the same `name`. */
  seal(name: string, secret: Uint8Array): Uint8Array
  /** Throws `WrongMasterSecret` if `sealed` was altered, or sealed under another master secret or name. */
  open(name: string, sealed: Uint8Array): Uint8Array
  /** Vouches for `bytes` that leave this machine. Each purpose has a key of its own, derived from the master secret. */
  mac(purpose: 'backup', bytes: Uint8Array): Uint8Array
  createAttestationKey(): { readonly publicKey: Uint8Array; readonly sealedPrivateKey: Uint8Array }
  /** Throws `WrongMasterSecret`, also if the private half does not belong to the public half. */
  openAttestationKey(key: { readonly publicKey: Uint8Array; readonly sealedPrivateKey: Uint8Array }): AttestationSigner
  createTokenKey(): Uint8Array
  openTokenKey(sealed: Uint8Array): TokenSigner
  /** Names this server to push services, on all nodes and after a restore: derived from the master secret. */
  readonly pushSigner: PushSigner
}

export interface SignedReceipt {
  readonly receiptCbor: Uint8Array
  readonly receiptHash: Sha256Hex
}

/** Signs with Ed25519 (RFC 8032) and ML-DSA-65 (FIPS 204, no context). */
export interface AttestationSigner {
  /**
   * On another thread than the event loop's. A chain: each but the first gets its predecessor's hash as
   * `prior_receipt_hash`. `keyId`: the signer's key.
   */
  receipts(payloads: readonly ReceiptPayload[], keyId: KeyId): Promise<readonly SignedReceipt[]>
  /** The whole message. At once, so that a transaction can wait for it. */
  sign(toBeSigned: CoseToBeSigned): Uint8Array
}

/** JWTs signed with EdDSA under the signing key (RFC 7519, RFC 8037). Equal claims give equal tokens. */
export interface TokenSigner {
  /** Raw Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array
  sign(header: { readonly typ: string }, claims: Readonly<Record<string, string | number>>): Promise<string>
  /** Claims of a valid signature with exactly `EdDSA` and `typ`, else undefined. Callers check time and audience. */
  verify(typ: string, token: string): Promise<Readonly<Record<string, unknown>> | undefined>
}

/** ECDSA on P-256, as Web Push wants (RFC 8292). */
export interface PushSigner {
  /** An uncompressed point, 65 bytes. */
  readonly publicKey: Uint8Array
  /** A JWT with the header `{"typ":"JWT","alg":"ES256"}` (RFC 7515, RFC 7518). */
  sign(claims: Readonly<Record<string, string | number>>): string
}

/** The message is for operators. */
export class WrongMasterSecret extends Error {
  override readonly name = 'WrongMasterSecret'
  /** The path of the file that the master secret came from. */
  readonly file: string

  constructor(file: string) {
    super(
      `the master secret in ${file} is not the one that this server’s keys were encrypted with. Put your copy of the right one there, or set MASTER_SECRET_FILE to its path. If it is the right one, the database is another server’s: look at DATA_DIR and DATABASE_URL.`,
    )
    this.file = file
  }
}
