/** Messages that readers of receipts and manifests refuse alike: COSE_Sign's form and signatures. */
import { type Bytes, concatBytes, fromHex, toHex } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor, tagged } from '@blindkeep/protocol/cbor'
import { assembleCose, type CoseFault, decodeCose } from '@blindkeep/protocol/cose'
import type { TestKey } from './testKey.ts'

interface CoseRefusal {
  readonly name: string
  readonly reason: CoseFault
  readonly bytes: Uint8Array
}

/** A valid message. Each refusal differs from it in one thing. */
export interface CoseOrigin {
  readonly good: Uint8Array
  readonly contentType: string
}

interface Parts {
  readonly tag?: number
  readonly body?: CborValue
  readonly unprotected?: CborValue
  readonly payload?: CborValue
  readonly signers?: readonly CborValue[]
}

const NONE: CborValue = new Map()

/** Takes a message apart and builds others from its parts, with the valid signatures unless the caller gives others. */
export function createForger({ good, contentType }: CoseOrigin) {
  const message = decodeCose(good, contentType)
  const kid = fromHex(message.keyId)
  const signer = (
    algorithm: CborValue,
    signature: Uint8Array,
    keyId: CborValue = kid,
    unprotected = NONE,
  ): CborValue => [
    encodeCbor(
      new Map<number, CborValue>([
        [1, algorithm],
        [4, keyId],
      ]),
    ),
    unprotected,
    signature,
  ]
  const { ed25519, mlDsa65 } = message.signatures
  const signers = [signer(-19, ed25519), signer(-49, mlDsa65)] as const
  const body = encodeCbor(new Map([[3, contentType]]))
  const build = (parts: Parts): Bytes =>
    encodeCbor(
      tagged(parts.tag ?? 98, [
        parts.body ?? body,
        parts.unprotected ?? NONE,
        parts.payload === undefined ? message.payload : parts.payload,
        parts.signers ?? signers,
      ]),
    )
  return { message, kid, signer, signers, ed25519, mlDsa65, build }
}

/** Valid signatures, wrong forms. `other`: a content type with another kind of reader. */
export function coseFormRefusals(
  origin: CoseOrigin,
  other: { readonly name: string; readonly contentType: string },
): CoseRefusal[] {
  const { kid, signer, signers, ed25519, mlDsa65, build } = createForger(origin)
  const { good } = origin
  const [first, second] = signers
  const whole = toHex(good)
  const otherType = encodeCbor(new Map([[3, other.contentType]]))
  return [
    { name: 'nothing', reason: 'not_deterministic', bytes: new Uint8Array(0) },
    { name: 'cut', reason: 'not_deterministic', bytes: good.subarray(0, good.length - 1) },
    { name: 'a byte after it', reason: 'not_deterministic', bytes: concatBytes(good, Uint8Array.of(0)) },
    { name: 'no tag', reason: 'not_cose_sign', bytes: fromHex(whole.slice(4)) },
    { name: 'the tag of COSE_Sign1', reason: 'not_deterministic', bytes: build({ tag: 18 }) },
    {
      name: 'the tag in more bytes than it needs',
      reason: 'not_deterministic',
      bytes: fromHex(`d90062${whole.slice(4)}`),
    },
    { name: 'an indefinite array', reason: 'not_deterministic', bytes: fromHex(`d8629f${whole.slice(6)}ff`) },
    { name: 'a detached payload', reason: 'not_cose_sign', bytes: build({ payload: null }) },
    { name: other.name, reason: 'content_type', bytes: build({ body: otherType }) },
    { name: 'an empty protected header', reason: 'content_type', bytes: build({ body: new Uint8Array(0) }) },
    {
      name: 'an unprotected header of the body',
      reason: 'unprotected_not_empty',
      bytes: build({ unprotected: new Map([[4, kid]]) }),
    },
    {
      name: 'an unprotected header of a signature',
      reason: 'unprotected_not_empty',
      bytes: build({ signers: [signer(-19, ed25519, kid, new Map([[5, 1]])), second] }),
    },
    { name: 'no signature', reason: 'signatures', bytes: build({ signers: [] }) },
    { name: 'only Ed25519', reason: 'signatures', bytes: build({ signers: [first] }) },
    { name: 'only ML-DSA-65', reason: 'signatures', bytes: build({ signers: [second] }) },
    { name: 'three signatures', reason: 'signatures', bytes: build({ signers: [first, second, first] }) },
    { name: 'the signatures swapped', reason: 'algorithm', bytes: build({ signers: [second, first] }) },
    { name: 'Ed25519 twice', reason: 'algorithm', bytes: build({ signers: [first, first] }) },
    {
      name: 'EdDSA (-8) for Ed25519 (-19)',
      reason: 'algorithm',
      bytes: build({ signers: [signer(-8, ed25519), second] }),
    },
    {
      name: 'a short signature',
      reason: 'signatures',
      bytes: build({ signers: [first, signer(-49, mlDsa65.subarray(1))] }),
    },
    {
      name: 'a short key id',
      reason: 'key_id',
      bytes: build({ signers: [signer(-19, ed25519, kid.subarray(1)), second] }),
    },
    {
      name: 'two key ids',
      reason: 'key_id',
      bytes: build({ signers: [first, signer(-49, mlDsa65, new Uint8Array(32))] }),
    },
  ]
}

/** Well-formed, but not signed by the key. `altered`: another payload under valid signatures. */
export function coseSignatureRefusals(
  { good, contentType }: CoseOrigin,
  stranger: TestKey,
  altered: { readonly name: string; readonly payload: Uint8Array },
): CoseRefusal[] {
  const message = decodeCose(good, contentType)
  const foreign = stranger.sign(message)
  const { signatures } = message
  return [
    {
      name: 'Ed25519 by another key',
      reason: 'ed25519_invalid',
      bytes: assembleCose(message, { ...signatures, ed25519: foreign.ed25519 }),
    },
    {
      name: 'ML-DSA-65 by another key',
      reason: 'ml_dsa_65_invalid',
      bytes: assembleCose(message, { ...signatures, mlDsa65: foreign.mlDsa65 }),
    },
    {
      name: altered.name,
      reason: 'ed25519_invalid',
      bytes: assembleCose({ ...message, payload: altered.payload }, signatures),
    },
    {
      name: 'a key id that is not published',
      reason: 'key_unknown',
      bytes: assembleCose({ ...message, keyId: '5a'.repeat(32) }, signatures),
    },
  ]
}
