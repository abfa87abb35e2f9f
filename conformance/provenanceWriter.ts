/**
 * Signs manifests. Written from the formats alone, with another CBOR library than the server's and Node's own
 * signatures. A provenance blob is COSE_Sign (RFC 9052) by the creating device, over the deterministic CBOR (RFC 8949,
 * section 4.2.1) of its manifest.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { encode, Tag } from 'cbor2'

const COSE_SIGN = 98
const CONTENT_TYPE = 'application/service-manifest+cbor'
const ED25519 = { algorithm: -19, spkiPrefixBytes: 12 }
const ML_DSA_65 = { algorithm: -49, spkiPrefixBytes: 22 }

/** A device's hybrid key. */
export interface DeviceKeys {
  /** 1984 bytes: the Ed25519 key, then the ML-DSA-65 one. */
  readonly publicKey: Buffer
  readonly ed25519: KeyObject
  readonly mlDsa65: KeyObject
}

export function newDeviceKeys(): DeviceKeys {
  const ed25519 = generateKeyPairSync('ed25519')
  const mlDsa65 = generateKeyPairSync('ml-dsa-65')
  const raw = (key: KeyObject, { spkiPrefixBytes }: { readonly spkiPrefixBytes: number }) =>
    key.export({ format: 'der', type: 'spki' }).subarray(spkiPrefixBytes)
  return {
    publicKey: Buffer.concat([raw(ed25519.publicKey, ED25519), raw(mlDsa65.publicKey, ML_DSA_65)]),
    ed25519: ed25519.privateKey,
    mlDsa65: mlDsa65.privateKey,
  }
}

export type Fields = Readonly<Record<string, unknown>>

interface Signer {
  /** Its protected header, encoded. */
  readonly head: Uint8Array
  readonly unprotected: ReadonlyMap<unknown, unknown>
  readonly signature: Uint8Array
}

/** The parts of a message, so that a test can change any of them before `assemble`. */
export interface Parts {
  /** The body's protected header, encoded. */
  readonly body: Uint8Array
  readonly unprotected: ReadonlyMap<unknown, unknown>
  readonly payload: Uint8Array
  readonly signers: readonly Signer[]
}

/** Deviations from a valid message. The signatures are valid for the deviating bytes. */
export interface Variation {
  readonly contentType?: string
  readonly payload?: Uint8Array
  readonly keyId?: Uint8Array
}

export const cbor = (value: unknown): Uint8Array => encode(value, { cde: true })

/** Omits members that are undefined or null, as the format requires. */
export function payloadOf(fields: Fields): Uint8Array {
  return cbor(new Map(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)))
}

export function partsOf(fields: Fields, keys: DeviceKeys, variation: Variation = {}): Parts {
  const body = cbor(new Map([[3, variation.contentType ?? CONTENT_TYPE]]))
  const payload = variation.payload ?? payloadOf(fields)
  const keyId = variation.keyId ?? Uint8Array.from(createHash('sha256').update(keys.publicKey).digest())
  const signer = (algorithm: number, key: KeyObject): Signer => {
    const head = cbor(new Map<number, unknown>([[1, algorithm] as const, [4, keyId] as const]))
    const toBeSigned = cbor(['Signature', body, head, new Uint8Array(0), payload])
    return { head, unprotected: new Map(), signature: Uint8Array.from(sign(null, toBeSigned, key)) }
  }
  const signers = [signer(ED25519.algorithm, keys.ed25519), signer(ML_DSA_65.algorithm, keys.mlDsa65)]
  return { body, unprotected: new Map(), payload, signers }
}

export function assemble({ body, unprotected, payload, signers }: Parts, tag = COSE_SIGN): Buffer<ArrayBuffer> {
  const signatures = signers.map((signer) => [signer.head, signer.unprotected, signer.signature])
  return Buffer.from(cbor(new Tag(tag, [body, unprotected, payload, signatures])))
}

/** The bytes of a provenance blob: this manifest, signed by this device. */
export function signManifest(fields: Fields, keys: DeviceKeys, variation: Variation = {}): Buffer<ArrayBuffer> {
  return assemble(partsOf(fields, keys, variation))
}
