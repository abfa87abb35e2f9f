import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM, keyId } from '@blindkeep/protocol/keys'
import type { AttestationKeysResponse } from '@blindkeep/protocol/schemas/discovery'
import { AuditError, type AuditReason } from './auditError.ts'
import { pinKeys } from './pins.ts'

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
const published = (...keys: PublishedKey[]): AttestationKeysResponse => ({ server_id: serverId, keys })
const caught = (reason: AuditReason) => (error: unknown) => error instanceof AuditError && error.reason === reason

describe('pinned attestation keys', () => {
  const pinned = pinKeys(published(first), serverId)

  it('are the same after they were JSON', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(pinned)), pinned)
  })

  it('take a key that the server has added', () => {
    const retired = { ...first, active_to: '2026-02-01T00:00:00.000Z' }
    const keys = pinKeys(published(retired, second), serverId, pinned)
    assert.deepEqual(
      keys.keys.map((key) => key.keyId),
      [first.key_id, second.key_id],
    )
  })

  it('catch a key that has vanished', () => {
    assert.throws(() => pinKeys(published(second), serverId, pinned), caught('key_vanished'))
  })

  it('catch a key whose bytes, time or place has changed', () => {
    const both = pinKeys(published(first, second), serverId)
    const changes = [
      published({ ...first, public: second.public }, second),
      published({ ...first, active_from: '2026-01-02T00:00:00.000Z' }, second),
      published(second, first),
    ]
    for (const change of changes) assert.throws(() => pinKeys(change, serverId, both), caught('key_changed'))
  })

  it('refuse a key that is not the one its id names, or has another algorithm', () => {
    const { key_id } = second
    assert.throws(() => pinKeys(published({ ...first, key_id }), serverId), caught('key_malformed'))
    assert.throws(() => pinKeys(published({ ...first, algorithm: 'rsa' }), serverId), caught('key_malformed'))
  })

  it('refuse another server’s list', () => {
    assert.throws(
      () => pinKeys({ ...published(first), server_id: 'https://other.example' }, serverId),
      caught('wrong_server'),
    )
    assert.throws(
      () => pinKeys(published(first), serverId, { ...pinned, serverId: 'https://other.example' }),
      caught('wrong_server'),
    )
  })
})
