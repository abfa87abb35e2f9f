/**
 * COSE_Sign (RFC 9052, section 4.1) with exactly two signatures, Ed25519 and ML-DSA-65, of one hybrid key. Receipts and
 * manifests are such messages. All but payload, key and signatures is fixed, so a reader accepts one form only.
 */
import { type Bytes, equalBytes, fromHex, toHex } from './bytes.ts'
import { CborError, type CborValue, decodeCbor, encodeCbor, tagged } from './cbor.ts'
import { keyId as keyIdOf, splitHybridPublicKey } from './keys.ts'
import { ReasonedError } from './reasonedError.ts'
import { ED25519_SIGNATURE_BYTES, HYBRID_PUBLIC_KEY_BYTES, ML_DSA_65_SIGNATURE_BYTES } from './suites.ts'

/** Tag of COSE_Sign (RFC 9052, table 1). */
const COSE_SIGN_TAG = 98
/** Header labels: alg, content type, kid (RFC 9052, table 3). */
const LABEL_ALGORITHM = 1
const LABEL_CONTENT_TYPE = 3
const LABEL_KEY_ID = 4
/** Fully specified algorithm identifiers of the COSE registry: Ed25519 (RFC 9864) and ML-DSA-65. */
const ALGORITHM_ED25519 = -19
const ALGORITHM_ML_DSA_65 = -49
const KEY_ID_BYTES = 32
const EMPTY = new Uint8Array(0)

export type CoseFault =
  | 'not_deterministic'
  | 'not_cose_sign'
  | 'content_type'
  | 'unprotected_not_empty'
  | 'signatures'
  | 'algorithm'
  | 'key_id'
  | 'key_unknown'
  | 'ed25519_invalid'
  | 'ml_dsa_65_invalid'

/** The message has another form, or the key did not sign it. `reason` says which. */
export class CoseError extends ReasonedError<CoseFault> {
  override readonly name = 'CoseError'
}

interface CoseDraft {
  /** Text of header 3. */
  readonly contentType: string
  /** Attached as it is. */
  readonly payload: Uint8Array
  /** SHA-256 of the hybrid public key, lowercase hex. */
  readonly keyId: string
}

/** The bytes that each half of the hybrid key signs: one Sig_structure each (RFC 9052, section 4.4). */
export interface CoseToBeSigned extends CoseDraft {
  readonly ed25519: Bytes
  readonly mlDsa65: Bytes
}

export interface HybridSignatures {
  /** 64 bytes. */
  readonly ed25519: Uint8Array
  /** 3309 bytes. */
  readonly mlDsa65: Uint8Array
}

/** Verifiers for the two halves. Node and browsers have different ones, so the caller passes them. */
export interface HybridVerifiers {
  ed25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
  mlDsa65(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
}

export interface CoseMessage extends CoseToBeSigned {
  readonly signatures: HybridSignatures
}

function bodyProtected(contentType: string): Bytes {
  return encodeCbor(new Map([[LABEL_CONTENT_TYPE, contentType]]))
}

function signProtected(algorithm: number, keyId: string): Bytes {
  return encodeCbor(
    new Map<number, CborValue>([
      [LABEL_ALGORITHM, algorithm],
      [LABEL_KEY_ID, fromHex(keyId)],
    ]),
  )
}

/** The two byte strings to sign. External data is empty. Throws `RangeError` for a key id that is not hex. */
export function coseToBeSigned(draft: CoseDraft): CoseToBeSigned {
  const body = bodyProtected(draft.contentType)
  const structure = (algorithm: number) =>
    encodeCbor(['Signature', body, signProtected(algorithm, draft.keyId), EMPTY, draft.payload])
  return { ...draft, ed25519: structure(ALGORITHM_ED25519), mlDsa65: structure(ALGORITHM_ML_DSA_65) }
}

/** The whole message. Throws `RangeError` for signatures of another length, which no reader would accept. */
export function assembleCose(draft: CoseDraft, signatures: HybridSignatures): Bytes {
  const fits =
    signatures.ed25519.length === ED25519_SIGNATURE_BYTES && signatures.mlDsa65.length === ML_DSA_65_SIGNATURE_BYTES
  if (!fits) throw new RangeError('a hybrid signature is 64 and 3309 bytes')
  const none: CborValue = new Map()
  return encodeCbor(
    tagged(COSE_SIGN_TAG, [
      bodyProtected(draft.contentType),
      none,
      draft.payload,
      [
        [signProtected(ALGORITHM_ED25519, draft.keyId), none, signatures.ed25519],
        [signProtected(ALGORITHM_ML_DSA_65, draft.keyId), none, signatures.mlDsa65],
      ],
    ]),
  )
}

/** Reads the one accepted form without verifying signatures; throws `CoseError` for any other form. */
export function decodeCose(bytes: Uint8Array, contentType: string): CoseMessage {
  const [body, unprotected, payload, signers] = messageParts(bytes)
  if (!isBytes(body) || !isBytes(payload))
    throw new CoseError('not_cose_sign', 'protected header and payload are byte strings')
  if (!equalBytes(body, bodyProtected(contentType)))
    throw new CoseError('content_type', `the protected header is not just content type ${contentType}`)
  requireEmpty(unprotected)
  if (!Array.isArray(signers) || signers.length !== 2) throw new CoseError('signatures', 'not exactly two signatures')
  const first = decodeSigner(signers[0], ALGORITHM_ED25519, ED25519_SIGNATURE_BYTES)
  const second = decodeSigner(signers[1], ALGORITHM_ML_DSA_65, ML_DSA_65_SIGNATURE_BYTES)
  if (first.keyId !== second.keyId) throw new CoseError('key_id', 'the two signatures name different keys')
  return {
    ...coseToBeSigned({ contentType, payload, keyId: first.keyId }),
    signatures: { ed25519: first.signature, mlDsa65: second.signature },
  }
}

function messageParts(bytes: Uint8Array): readonly unknown[] {
  const message = decodeOrRefuse(bytes, COSE_SIGN_TAG)
  const isTagged = typeof message === 'object' && message !== null && 'tag' in message && message.tag === COSE_SIGN_TAG
  const parts = isTagged && 'value' in message ? message.value : undefined
  if (!Array.isArray(parts) || parts.length !== 4)
    throw new CoseError('not_cose_sign', 'not a COSE_Sign message under tag 98')
  return parts
}

function decodeOrRefuse(bytes: Uint8Array, allowedTag?: number): unknown {
  try {
    return decodeCbor(bytes, allowedTag)
  } catch (cause) {
    if (!(cause instanceof CborError)) throw cause
    throw new CoseError('not_deterministic', cause.message, { cause })
  }
}

function decodeSigner(signer: unknown, algorithm: number, bytes: number): { keyId: string; signature: Uint8Array } {
  if (!Array.isArray(signer) || signer.length !== 3) throw new CoseError('signatures', 'a signature has three parts')
  const [header, unprotected, signature]: readonly unknown[] = signer
  if (!isBytes(header)) throw new CoseError('signatures', 'a signature starts with its protected header')
  requireEmpty(unprotected)
  const labels = decodeOrRefuse(header)
  if (!(labels instanceof Map) || labels.get(LABEL_ALGORITHM) !== algorithm)
    throw new CoseError('algorithm', `this signature is not by algorithm ${algorithm}`)
  const keyId: unknown = labels.get(LABEL_KEY_ID)
  if (!isBytes(keyId) || keyId.length !== KEY_ID_BYTES || labels.size !== 2)
    throw new CoseError('key_id', 'a signature carries its algorithm and a key id of 32 bytes, nothing else')
  if (!isBytes(signature) || signature.length !== bytes)
    throw new CoseError('signatures', `this signature is not ${bytes} bytes`)
  return { keyId: toHex(keyId), signature }
}

function requireEmpty(unprotected: unknown): void {
  if (!(unprotected instanceof Map)) throw new CoseError('not_cose_sign', 'an unprotected header is a map')
  if (unprotected.size > 0) throw new CoseError('unprotected_not_empty', 'an unprotected header is not empty')
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}

/** Both halves must verify under `publicKey` (1984 bytes), whose SHA-256 the message names. Throws `CoseError`. */
export async function verifyCose(message: CoseMessage, publicKey: Uint8Array, verify: HybridVerifiers): Promise<void> {
  if (publicKey.length !== HYBRID_PUBLIC_KEY_BYTES || keyIdOf(publicKey) !== message.keyId)
    throw new CoseError('key_unknown', 'the message was signed by another key')
  const key = splitHybridPublicKey(publicKey)
  if (!(await verify.ed25519(key.ed25519, message.ed25519, message.signatures.ed25519)))
    throw new CoseError('ed25519_invalid', 'the Ed25519 signature does not verify')
  if (!(await verify.mlDsa65(key.mlDsa65, message.mlDsa65, message.signatures.mlDsa65)))
    throw new CoseError('ml_dsa_65_invalid', 'the ML-DSA-65 signature does not verify')
}
