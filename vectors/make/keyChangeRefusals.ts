/** Two messages that are no signed change of a key. Each differs in one thing from a valid pair. */
import { type Bytes, fromHex, toHex } from '@blindkeep/protocol/bytes'
import { type CborValue, decodeCbor, encodeCbor } from '@blindkeep/protocol/cbor'
import { assembleCose, coseToBeSigned, decodeCose } from '@blindkeep/protocol/cose'
import type { KeyChangeFault, SignedKeyChange } from '@blindkeep/protocol/keyChange'
import { RECEIPT_CONTENT_TYPE } from '@blindkeep/protocol/receipt'
import { createForger } from './coseRefusals.ts'
import { known } from './inputs.ts'
import type { TestKey } from './testKey.ts'

interface KeyChangeRefusal extends SignedKeyChange {
  readonly name: string
  readonly reason: KeyChangeFault
}

interface Keys {
  readonly old: TestKey
  readonly next: TestKey
  readonly stranger: TestKey
}

const MOVE = 'application/service-move+cbor'
const ROTATION = 'application/service-rotation+cbor'
type Changes = Readonly<Record<string, CborValue | undefined>>

/** `other`: a valid pair of the same keys about something else. */
export function keyChangeRefusals(
  good: SignedKeyChange,
  other: SignedKeyChange,
  keys: Keys,
): readonly KeyChangeRefusal[] {
  const origin = { good: good.leave, contentType: MOVE }
  const forger = createForger(origin)
  const [first, second] = forger.signers
  const { arrive } = good
  return [
    { name: 'nothing', reason: 'not_deterministic', leave: new Uint8Array(0), arrive },
    { name: 'one message of two', reason: 'not_deterministic', leave: good.leave, arrive: new Uint8Array(0) },
    { name: 'the same message twice', reason: 'wrong_signer', leave: good.leave, arrive: good.leave },
    { name: 'the messages swapped', reason: 'wrong_signer', leave: arrive, arrive: good.leave },
    { name: 'two different payloads', reason: 'payloads_differ', leave: good.leave, arrive: other.arrive },
    { name: 'only Ed25519', reason: 'signatures', leave: forger.build({ signers: [first] }), arrive },
    { name: 'only ML-DSA-65', reason: 'signatures', leave: forger.build({ signers: [second] }), arrive },
    {
      name: 'longer than any statement',
      reason: 'too_large',
      leave: forger.build({ payload: new Uint8Array(16_384) }),
      arrive,
    },
    ...contentTypes(good, keys),
    ...signatures(good, keys),
    ...payloads(good, keys),
  ]
}

/** Truly signed: the same payload under the content type of something else. */
function contentTypes(good: SignedKeyChange, keys: Keys): readonly KeyChangeRefusal[] {
  const { payload } = decodeCose(good.leave, MOVE)
  const under = (contentType: string) => signedPair(payload, contentType, keys)
  return [
    { name: 'a receipt’s content type', reason: 'content_type', ...under(RECEIPT_CONTENT_TYPE) },
    { name: 'a rotation’s content type', reason: 'unknown_field', ...under(ROTATION) },
    {
      name: 'a rotation’s content type in one of the two',
      reason: 'content_type',
      ...good,
      arrive: under(ROTATION).arrive,
    },
  ]
}

function signatures(good: SignedKeyChange, { stranger }: Keys): readonly KeyChangeRefusal[] {
  const by = (which: 'leave' | 'arrive', half: 'ed25519' | 'mlDsa65') => {
    const message = decodeCose(good[which], MOVE)
    const forged = { ...message.signatures, [half]: stranger.sign(message)[half] }
    return { ...good, [which]: assembleCose(message, forged) }
  }
  return [
    { name: 'leave: Ed25519 by another key', reason: 'ed25519_invalid', ...by('leave', 'ed25519') },
    { name: 'leave: ML-DSA-65 by another key', reason: 'ml_dsa_65_invalid', ...by('leave', 'mlDsa65') },
    { name: 'arrive: Ed25519 by another key', reason: 'ed25519_invalid', ...by('arrive', 'ed25519') },
    { name: 'arrive: ML-DSA-65 by another key', reason: 'ml_dsa_65_invalid', ...by('arrive', 'mlDsa65') },
  ]
}

function signedPair(payload: Uint8Array, contentType: string, { old, next }: Keys): SignedKeyChange {
  const by = (key: TestKey) => {
    const toBeSigned = coseToBeSigned({ contentType, payload, keyId: key.keyId })
    return assembleCose(toBeSigned, key.sign(toBeSigned))
  }
  return { leave: by(old), arrive: by(next) }
}

/** Truly signed by both keys. */
function payloads(good: SignedKeyChange, keys: Keys): readonly KeyChangeRefusal[] {
  const { payload } = decodeCose(good.leave, MOVE)
  const of = (name: string, reason: KeyChangeFault, bytes: Uint8Array, contentType = MOVE): KeyChangeRefusal => ({
    name: `payload: ${name}`,
    reason,
    ...signedPair(bytes, contentType, keys),
  })
  const changed = (name: string, reason: KeyChangeFault, changes: Changes) => of(name, reason, encode(payload, changes))
  const rotation = (name: string, reason: KeyChangeFault, changes: Changes) =>
    of(`a rotation, ${name}`, reason, encode(payload, { ...AS_ROTATION, ...changes }), ROTATION)
  const hex = toHex(payload)
  const number = toHex(encodeCbor('number'))
  return [
    changed('an unknown field', 'unknown_field', { reason: 'because' }),
    changed('no version', 'missing_field', { version: undefined }),
    changed('version 2', 'field_invalid', { version: 'service/move/2' }),
    changed('the version of a rotation', 'field_invalid', { version: 'service/rotation/1' }),
    changed('no number', 'missing_field', { number: undefined }),
    changed('number 0', 'field_invalid', { number: 0 }),
    changed('the first with a prior move', 'field_invalid', { prior_move_hash: new Uint8Array(32) }),
    changed('the second without a prior move', 'field_invalid', { number: 2 }),
    changed('no from', 'missing_field', { from: undefined }),
    changed('a from with a path', 'field_invalid', { from: 'https://keep.example/a' }),
    changed('no to', 'missing_field', { to: undefined }),
    changed('a to in capitals', 'field_invalid', { to: 'https://Keep.example' }),
    changed('the same names', 'field_invalid', { to: 'http://127.0.0.1:8080' }),
    changed('no old key', 'missing_field', { old_key: undefined }),
    changed('no new key', 'missing_field', { new_key: undefined }),
    changed('a key id as text', 'field_invalid', { new_key: keys.next.keyId }),
    changed('the same key', 'field_invalid', { new_key: fromHex(keys.old.keyId) }),
    changed('another old key', 'wrong_signer', { old_key: fromHex(keys.stranger.keyId) }),
    changed('another new key', 'wrong_signer', { new_key: fromHex(keys.stranger.keyId) }),
    changed('the number of the newest receipt without its hash', 'field_invalid', { last_receipt_hash: undefined }),
    changed('the hash of the newest receipt without its number', 'field_invalid', { last_receipt_seq: undefined }),
    changed('receipt 0', 'field_invalid', { last_receipt_seq: 0 }),
    changed('a hash that is null', 'field_invalid', { last_receipt_hash: null }),
    changed('no time', 'missing_field', { moved_at: undefined }),
    changed('a time without milliseconds', 'field_invalid', { moved_at: '2026-03-02T00:00:00Z' }),
    of('no map', 'field_invalid', encodeCbor([])),
    of(
      'a number in more bytes than it needs',
      'payload_not_deterministic',
      fromHex(hex.replace(`${number}01`, `${number}1801`)),
    ),
    of('keys out of order', 'payload_not_deterministic', fromHex(`${hex.replace(`${number}01`, '')}${number}01`)),
    rotation('version 2', 'field_invalid', { version: 'service/rotation/2' }),
    rotation('the version of a move', 'field_invalid', { version: 'service/move/1' }),
    rotation('no name', 'missing_field', { server_id: undefined }),
    rotation('a name with a slash', 'field_invalid', { server_id: 'https://keep.example/' }),
    rotation('a number', 'unknown_field', { number: 1 }),
    rotation('no time', 'missing_field', { rotated_at: undefined }),
    rotation('the same key', 'field_invalid', { new_key: fromHex(keys.old.keyId) }),
    rotation('the number of the newest receipt without its hash', 'field_invalid', { last_receipt_hash: undefined }),
  ]
}

const AS_ROTATION: Changes = {
  version: 'service/rotation/1',
  server_id: 'https://keep.example',
  rotated_at: '2026-03-02T00:00:00.000Z',
  number: undefined,
  from: undefined,
  to: undefined,
  moved_at: undefined,
}

function encode(payload: Uint8Array, changes: Changes): Bytes {
  const decoded = decodeCbor(payload)
  if (!(decoded instanceof Map)) throw new Error('a payload is a map')
  const fields: Map<string, CborValue> = new Map(decoded)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) fields.delete(name)
    else fields.set(name, value)
  }
  return encodeCbor(known(fields))
}
