import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nodeVerifiers as verify } from '../../../testing/nodeVerifiers.ts'
import vectors from '../../../vectors/moves.json' with { type: 'json' }
import { fromBase64, fromHex, toHex } from './bytes.ts'
import { assembleCose } from './cose.ts'
import { parseKeyId, parseSha256Hex } from './ids.ts'
import {
  decodeKeyChange,
  KeyChangeError,
  type KeyChangeFault,
  keyChangeToBeSigned,
  MAX_MOVES,
  MAX_ROTATIONS,
  type MovePayload,
  type RotationPayload,
  verifyKeyChange,
} from './keyChange.ts'
import { known } from './testing/known.ts'

const hashOf = (digit: string) => known(parseSha256Hex(digit.repeat(64)))
const keyOf = (digit: string) => known(parseKeyId(digit.repeat(64)))
const head = { last_receipt_seq: 9_007_199_254_740_991, last_receipt_hash: hashOf('c') }
const keys = { old_key: keyOf('a'), new_key: keyOf('b') }
const move: MovePayload = {
  number: 2,
  prior_move_hash: hashOf('d'),
  from: 'https://keep.example',
  to: 'https://drop.example',
  ...keys,
  ...head,
  moved_at: '2026-03-01T10:20:30.456Z',
}
const rotation: RotationPayload = { server_id: move.from, ...keys, ...head, rotated_at: move.moved_at }

function refusal(reason: KeyChangeFault) {
  return (error: unknown) => error instanceof KeyChangeError && error.reason === reason
}

const UNSIGNED = { ed25519: new Uint8Array(64), mlDsa65: new Uint8Array(3309) }

function messagesOf(change: Parameters<typeof keyChangeToBeSigned>[0]) {
  const { leave, arrive } = keyChangeToBeSigned(change)
  return { leave: assembleCose(leave, UNSIGNED), arrive: assembleCose(arrive, UNSIGNED) }
}

describe('a change of the attestation key', () => {
  it('survives a round trip, with and without receipts before it', () => {
    const { number: _, prior_move_hash, last_receipt_seq, last_receipt_hash, ...rest } = move
    for (const change of [
      { kind: 'move', ...move },
      { kind: 'move', ...rest, number: 1 },
      { kind: 'rotation', ...rotation },
    ] as const)
      assert.deepEqual(decodeKeyChange(messagesOf(change)).change, change)
  })

  it('is for both keys the same payload under the content type of its kind, written here by hand', () => {
    const { leave, arrive } = keyChangeToBeSigned({ kind: 'move', ...move })
    const start = `8569${toHex(Buffer.from('Signature'))}5821a103781d${toHex(Buffer.from('application/service-move+cbor'))}`
    assert.ok(toHex(leave.ed25519).startsWith(`${start}5826a20132045820${'a'.repeat(64)}`))
    assert.ok(toHex(arrive.ed25519).startsWith(`${start}5826a20132045820${'b'.repeat(64)}`))
    assert.equal(toHex(leave.payload), toHex(arrive.payload))
    const rotated = keyChangeToBeSigned({ kind: 'rotation', ...rotation }).leave
    assert.ok(toHex(rotated.ed25519).includes(`5825a1037821${toHex(Buffer.from('application/service-rotation+cbor'))}`))
  })

  it('is not signed if a reader would refuse it', () => {
    const wrong = [
      { number: 0 },
      { prior_move_hash: undefined },
      { number: 1 },
      { to: move.from },
      { to: 'https://drop.example/' },
      { new_key: move.old_key },
      { last_receipt_seq: undefined },
      { last_receipt_hash: undefined },
      { moved_at: '2026-03-01T10:20:30Z' },
    ]
    for (const change of wrong)
      assert.throws(() => keyChangeToBeSigned({ kind: 'move', ...move, ...change }), refusal('field_invalid'))
  })

  it('fits an answer of 8 MiB as often as a server may change its key, also with the longest names', () => {
    const origin = (letter: string) => `https://${letter.repeat(292)}`
    const longest = { ...move, from: origin('a'), to: origin('b'), number: MAX_MOVES }
    const bytesOf = (change: Parameters<typeof keyChangeToBeSigned>[0]) => {
      const { leave, arrive } = messagesOf(change)
      const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
      return JSON.stringify({ leave: base64(leave), arrive: base64(arrive) }).length + 1
    }
    const moves = MAX_MOVES * bytesOf({ kind: 'move', ...longest })
    const rotations = MAX_ROTATIONS * bytesOf({ kind: 'rotation', ...rotation, server_id: origin('a') })
    assert.ok(moves + rotations + 1000 < 8 * 1024 ** 2, `${moves + rotations} bytes`)
  })
})

describe('the signed changes of the vectors, by OpenSSL’s verifiers', () => {
  const publicKeys = new Map(vectors.keys.map((key) => [key.key_id, fromBase64(key.public)]))
  const publicKey = (id: string) => known(publicKeys.get(id))

  for (const { name, leave, arrive, hash, payload, ...change } of vectors.statements)
    it(`verify: ${name}`, async () => {
      const signed = { leave: fromBase64(leave), arrive: fromBase64(arrive) }
      const read = await verifyKeyChange(signed, {
        oldKey: publicKey(change.old_key),
        newKey: publicKey(change.new_key),
        verify,
      })
      assert.deepEqual({ ...read.change }, change)
      assert.equal(read.hash, hash)
      assert.deepEqual(keyChangeToBeSigned(read.change).arrive.payload, fromHex(payload))
    })

  const [old, next, stranger] = vectors.keys.map((key) => fromBase64(key.public))
  for (const { name, reason, ...pair } of vectors.invalid_statements)
    it(`are refused for ${reason}: ${name}`, async () => {
      const signed = { leave: fromBase64(pair.leave), arrive: fromBase64(pair.arrive) }
      await assert.rejects(verifyKeyChange(signed, { oldKey: known(old), newKey: known(next), verify }), {
        name: 'KeyChangeError',
        reason,
      })
    })

  it('do not verify under other keys than those that they name', async () => {
    const signed = known(vectors.statements[0])
    const pair = { leave: fromBase64(signed.leave), arrive: fromBase64(signed.arrive) }
    for (const [oldKey, newKey] of [
      [stranger, next],
      [old, stranger],
    ])
      await assert.rejects(
        verifyKeyChange(pair, { oldKey: known(oldKey), newKey: known(newKey), verify }),
        refusal('key_unknown'),
      )
  })
})
