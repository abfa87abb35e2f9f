import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AccountId, type DropId, parseDropId } from '@blindkeep/protocol/ids'
import { type InboxVisits, isReadDrop, mergedVisits, NO_VISITS, openVisits, sealVisits } from './inboxVisits.ts'

const seal = {
  accountKey: new Uint8Array(32).fill(7),
  accountId: '0b0e6b1c-7c1c-4c55-9d1b-0d9f4a4f0001' as AccountId,
  baseUrl: 'https://one.example',
}

function dropId(number: number): DropId {
  const id = parseDropId(`0b0e6b1c-7c1c-4c55-9d1b-${String(number).padStart(12, '0')}`)
  if (id === undefined) throw new Error('an id')
  return id
}

const visits = (
  lookedUntil: string | undefined,
  readUntil: string | undefined,
  ...read: readonly number[]
): InboxVisits => ({
  lookedUntil,
  readUntil,
  read: new Set(read.map(dropId)),
})

describe('what a device remembers of its visits of the inbox', () => {
  it('opens again for this account at this server, and is nothing to others and once damaged', async () => {
    const kept = visits('2026-05-02T00:00:00Z', '2026-05-01T00:00:00Z', 1, 2)
    const sealed = await sealVisits(kept, seal)
    assert.deepEqual(await openVisits(sealed, seal), kept)
    for (const other of [{ accountKey: new Uint8Array(32) }, { baseUrl: 'https://two.example' }])
      assert.deepEqual(await openVisits(sealed, { ...seal, ...other }), NO_VISITS)
    assert.deepEqual(await openVisits(sealed.subarray(1), seal), NO_VISITS)
    assert.deepEqual(await openVisits(undefined, seal), NO_VISITS)
  })

  it('counts a file as read by its id, and until a time', () => {
    const kept = visits(undefined, '2026-05-01T00:00:00Z', 1)
    assert.ok(isReadDrop(kept, { dropId: dropId(1), receivedAt: '2026-06-01T00:00:00Z' }))
    assert.ok(isReadDrop(kept, { dropId: dropId(2), receivedAt: '2026-05-01T00:00:00.000Z' }))
    assert.ok(!isReadDrop(kept, { dropId: dropId(2), receivedAt: '2026-05-01T00:00:00.001Z' }))
    assert.ok(!isReadDrop(NO_VISITS, { dropId: dropId(2), receivedAt: '2026-05-01T00:00:00Z' }))
  })

  it('keeps what two tabs have read, and no more ids than a sealed record holds', async () => {
    const one = visits('2026-05-01T00:00:00Z', undefined, 1)
    const other = visits('2026-05-02T00:00:00Z', '2026-04-01T00:00:00Z', 2)
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      const { read, ...times } = mergedVisits(first, second)
      assert.deepEqual(times, { lookedUntil: '2026-05-02T00:00:00Z', readUntil: '2026-04-01T00:00:00Z' })
      assert.deepEqual([...read].sort(), [dropId(1), dropId(2)])
    }
    const many = visits(undefined, undefined, ...Array.from({ length: 30_000 }, (_, index) => index))
    const { read } = await openVisits(await sealVisits(many, seal), seal)
    assert.equal(read.size, 10_000)
    assert.ok(read.has(dropId(29_999)))
  })
})
