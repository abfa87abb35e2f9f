import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import type { ChainLink } from '@blindkeep/protocol/chain'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM, keyId } from '@blindkeep/protocol/keys'
import { AttestationKeysResponse } from '@blindkeep/protocol/schemas/discovery'
import vectors from '../../../../vectors/key-lists.json' with { type: 'json' }
import { readAnswer } from '../http/answer.ts'
import { AuditError, type AuditReason } from './auditError.ts'
import type { PinnedKeyChanges, PinnedKeys } from './pinnedKeys.ts'
import { joinPins, pinKeys, pinReceipts, requireActiveAt } from './pins.ts'

const serverId = 'https://keep.example'
type PublishedKey = AttestationKeysResponse['keys'][number]

function keyOf(fill: number, activeFrom: string): PublishedKey {
  const bytes = new Uint8Array(1984).fill(fill)
  const id = parseSha256Hex(keyId(bytes))
  assert.ok(id)
  return { key_id: id, public: toBase64(bytes), algorithm: HYBRID_ALGORITHM, active_from: activeFrom }
}

const first = keyOf(1, '2026-01-01T00:00:00.000Z')
const second = keyOf(2, '2026-02-01T00:00:00.000Z')
const retired = { ...first, active_to: '2026-02-01T00:00:00.000Z' }
const published = (...keys: PublishedKey[]): AttestationKeysResponse => ({ server_id: serverId, keys })
const hasReason = (reason: AuditReason) => (error: unknown) => error instanceof AuditError && error.reason === reason

describe('pinned attestation keys', () => {
  const pinned = pinKeys(published(first), serverId)

  it('survive JSON', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(pinned)), pinned)
  })

  it('accept a key that the server appended', () => {
    const keys = pinKeys(published(retired, second), serverId, pinned)
    assert.deepEqual(
      keys.keys.map((key) => key.keyId),
      [first.key_id, second.key_id],
    )
  })

  it('detect a missing key', () => {
    assert.throws(() => pinKeys(published(second), serverId, pinned), hasReason('key_vanished'))
  })

  it('detect a key whose bytes, time or position has changed', () => {
    const both = pinKeys(published(retired, second), serverId)
    const changes = [
      published({ ...retired, public: second.public }, second),
      published({ ...retired, active_from: '2026-01-02T00:00:00.000Z' }, second),
      published(second, retired),
    ]
    for (const change of changes) assert.throws(() => pinKeys(change, serverId, both), hasReason('key_changed'))
  })

  it('detect a changed or missing end, and accept a new one', () => {
    const both = pinKeys(published(retired, second), serverId)
    const changes = [
      published({ ...retired, active_to: '2026-02-02T00:00:00.000Z' }, second),
      published({ ...first, active_to: null }, second),
    ]
    for (const change of changes) assert.throws(() => pinKeys(change, serverId, both), hasReason('key_changed'))
    const earlier = { serverId, keys: both.keys.map(({ activeTo: _, ...key }) => key) }
    assert.deepEqual(pinKeys(published(retired, second), serverId, earlier), both)
  })

  it('refuse a list where not only the last key is active, or the times of the keys overlap', () => {
    const lists = [
      published(first, second),
      published(retired),
      published(retired, { ...second, active_to: '2026-03-01T00:00:00.000Z' }),
      published({ ...first, active_to: '2025-12-31T23:59:59.999Z' }, second),
      published(retired, { ...second, active_from: '2026-01-31T23:59:59.999Z' }),
    ]
    for (const list of lists) assert.throws(() => pinKeys(list, serverId), hasReason('key_malformed'))
  })

  it('are valid from their beginning to their end, both included', () => {
    const [key] = pinKeys(published(retired, second), serverId).keys
    assert.ok(key)
    for (const time of ['2026-01-01T00:00:00.000Z', '2026-01-15T00:00:00.000Z', '2026-02-01T00:00:00.000Z'])
      requireActiveAt(key, time)
    for (const time of ['2025-12-31T23:59:59.999Z', '2026-02-01T00:00:00.001Z'])
      assert.throws(() => requireActiveAt(key, time), hasReason('key_not_active'))
  })

  it('may begin in a leap second', () => {
    const [key] = pinKeys(published(keyOf(1, '2016-12-31T23:59:60Z')), serverId).keys
    assert.ok(key)
    requireActiveAt(key, '2016-12-31T23:59:59.000Z')
    assert.throws(() => requireActiveAt(key, '2016-12-31T23:59:58.999Z'), hasReason('key_not_active'))
  })

  it('refuse a key that does not match its id, or has another algorithm', () => {
    const { key_id } = second
    assert.throws(() => pinKeys(published({ ...first, key_id }), serverId), hasReason('key_malformed'))
    assert.throws(() => pinKeys(published({ ...first, algorithm: 'rsa' }), serverId), hasReason('key_malformed'))
  })

  it('refuse another server’s list', () => {
    assert.throws(
      () => pinKeys({ ...published(first), server_id: 'https://other.example' }, serverId),
      hasReason('wrong_server'),
    )
    assert.throws(
      () => pinKeys(published(first), serverId, { ...pinned, serverId: 'https://other.example' }),
      hasReason('wrong_server'),
    )
  })
})

describe('the lists of keys of the vectors', () => {
  /** As a client reads it, after the list that it has pinned, if any. */
  function pinsOf({ list, pinned }: { readonly list: unknown; readonly pinned?: unknown }): PinnedKeys {
    const { server_id } = vectors
    const listOf = (json: unknown) => readAnswer(AttestationKeysResponse, json).value ?? assert.fail()
    return pinKeys(listOf(list), server_id, pinned === undefined ? undefined : pinKeys(listOf(pinned), server_id))
  }

  for (const { name, ...given } of vectors.valid)
    it(`are accepted: ${name}`, () => {
      assert.equal(pinsOf(given).keys.length, given.list.keys.length)
    })

  for (const { name, reason, ...given } of vectors.invalid)
    it(`are refused for ${reason}: ${name}`, () => {
      assert.throws(() => pinsOf(given), { name: 'AuditError', reason })
    })

  for (const { key_id, received_at, active } of vectors.times.judged)
    it(`have a key ${key_id.slice(0, 4)} that ${active ? 'may' : 'may not'} have signed at ${received_at}`, () => {
      const key = pinsOf(vectors.times).keys.find(({ keyId }) => keyId === key_id) ?? assert.fail()
      const judge = () => requireActiveAt(key, received_at)
      if (active) judge()
      else assert.throws(judge, hasReason('key_not_active'))
    })
})

describe('keys that two requests found at the same time', () => {
  const one = pinKeys(published(first), serverId)
  const both = pinKeys(published(retired, second), serverId)

  it('are the longer list when one list continues the other', () => {
    assert.deepEqual(joinPins(undefined, one), one)
    assert.deepEqual(joinPins(one, both), both)
    assert.deepEqual(joinPins(both, one), both)
  })

  it('are refused when the server gave each request another list', () => {
    const other = pinKeys(published(keyOf(3, first.active_from)), serverId)
    assert.throws(() => joinPins(one, other), hasReason('key_vanished'))
    assert.throws(() => joinPins(both, other), hasReason('key_vanished'))
    const redated = pinKeys(published({ ...first, active_from: '2025-01-01T00:00:00.000Z' }), serverId)
    assert.throws(() => joinPins(one, redated), hasReason('key_changed'))
  })

  it('keep the newer of two receipts, and are refused when these cannot be in one log', () => {
    const hash = (seq: number) => parseSha256Hex(seq.toString(16).padStart(2, '0').repeat(32)) ?? assert.fail()
    const link = (seq: number, day: number): ChainLink => ({
      hash: hash(seq),
      payload: {
        server_id: serverId,
        receipt_seq: seq,
        received_at: `2026-01-${day}T00:00:00.000Z`,
        prior_receipt_hash: hash(seq - 1),
      },
    })
    const [older, newer] = [pinReceipts(one, [link(3, 10)]), pinReceipts(both, [link(7, 20)])]
    for (const joined of [joinPins(older, newer), joinPins(newer, older)])
      assert.deepEqual([joined.keys, joined.newestReceipt?.payload.receipt_seq], [both.keys, 7])
    assert.equal(joinPins(older, one).newestReceipt?.payload.receipt_seq, 3)
    assert.throws(() => joinPins(older, pinReceipts(one, [link(2, 20)])), hasReason('chain_forked'))
  })
})

describe('the newest receipt that a client remembers', () => {
  const pinned = pinKeys(published(first), serverId)
  const hash = (fill: number) => parseSha256Hex(fill.toString(16).padStart(2, '0').repeat(32)) ?? assert.fail()
  /** Receipt `seq` of a log in which every hash is a function of the number and the branch. */
  const receiptOf = (seq: number, { day = seq, branch = 0 } = {}): ChainLink => ({
    hash: hash(seq + branch),
    payload: {
      server_id: serverId,
      receipt_seq: seq,
      received_at: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
      prior_receipt_hash: seq === 1 ? undefined : hash(seq - 1 + branch),
    },
  })
  const seen = (...receipts: ChainLink[]) => pinReceipts(pinned, receipts)

  it('is the one with the largest number, in any order, and survives JSON and another list of keys', () => {
    const pins = seen(receiptOf(3), receiptOf(1))
    assert.equal(pins.newestReceipt?.payload.receipt_seq, 3)
    assert.deepEqual(JSON.parse(JSON.stringify(pins)), pins)
    assert.deepEqual(pinKeys(published(first), serverId, pins), pins)
    assert.equal(pinReceipts(pins, [receiptOf(2)]).newestReceipt?.payload.receipt_seq, 3)
    assert.equal(pinReceipts(pins, [receiptOf(9)]).newestReceipt?.payload.receipt_seq, 9)
  })

  it('detects a second receipt with a known number', () => {
    assert.throws(() => pinReceipts(seen(receiptOf(3)), [receiptOf(3, { branch: 50 })]), hasReason('chain_forked'))
  })

  it('detects a neighbour that does not continue or precede it', () => {
    for (const seq of [2, 4])
      assert.throws(() => pinReceipts(seen(receiptOf(3)), [receiptOf(seq, { branch: 50 })]), hasReason('chain_forked'))
  })

  it('detects a later receipt with an earlier number, as after a rollback of the server’s disk', () => {
    const later = receiptOf(5, { day: 20, branch: 50 })
    assert.throws(() => pinReceipts(seen(receiptOf(8)), [later]), hasReason('chain_forked'))
  })
})

describe('what clients have seen of one server, joined in every order', () => {
  const ends = ['01', '02', '03'].map((month) => `2026-${month}-01T00:00:00.000Z`)
  const own = [1, 2, 3].map((fill, index) => keyOf(fill, ends[index] ?? ''))
  const [stranger, other] = [keyOf(4, ends[1] ?? ''), keyOf(5, ends[2] ?? '')]
  const listOf = (keys: readonly PublishedKey[]) =>
    published(...keys.map((key, index) => ({ ...key, active_to: keys[index + 1]?.active_from ?? null })))
  const statements = ['AAAA', 'BBBB'].map((leave) => ({ leave, arrive: leave }))
  const seen = (keys: readonly PublishedKey[], rotations?: PinnedKeyChanges['rotations']): PinnedKeys => ({
    ...pinKeys(listOf(keys), serverId),
    ...(rotations && { keyChanges: { moves: [], rotations } }),
  })
  const sights = [1, 2, 3].flatMap((count) => {
    const [keys, before] = [own.slice(0, count), own.slice(0, count - 1)]
    const forged = count === 1 ? [] : [seen([...before, count === 2 ? stranger : other])]
    return [seen(keys, statements.slice(0, count - 1)), seen(keys), ...forged]
  })
  sights.push(seen(own, [...statements].reverse()))

  const joined = (before: PinnedKeys | undefined, now: PinnedKeys): PinnedKeys | undefined => {
    try {
      return joinPins(before, now)
    } catch (error) {
      assert.ok(error instanceof AuditError)
      return undefined
    }
  }

  it('is the same whichever came first, or is refused both ways', () => {
    for (const one of sights) for (const two of sights) assert.deepEqual(joined(one, two), joined(two, one))
  })

  it('never loses a statement, nor gets a key without one', () => {
    const orders = sights.flatMap((one) => sights.flatMap((two) => sights.map((three) => [one, two, three] as const)))
    for (const order of orders) {
      let stored: PinnedKeys | undefined
      for (const now of order) {
        const before: PinnedKeys | undefined = stored
        stored = joined(before, now) ?? before
        if (before?.keyChanges === undefined) continue
        const { moves = [], rotations = [] } = stored?.keyChanges ?? {}
        assert.equal(1 + moves.length + rotations.length, stored?.keys.length)
        assert.deepEqual(rotations.slice(0, before.keyChanges.rotations.length), before.keyChanges.rotations)
        assert.deepEqual(
          stored?.keys.map(({ keyId }) => keyId).slice(0, before.keys.length),
          before.keys.map(({ keyId }) => keyId),
        )
      }
    }
  })
})
