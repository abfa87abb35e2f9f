import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Clock } from '../../ports/clock.ts'
import type { Limit } from '../../ports/limiter.ts'
import { createHandClock } from '../../testing/handClock.ts'
import { type Count, createCounts, SHARED_COUNTS } from './counts.ts'
import { CountsFileBroken, decodeCounts, encodeCounts } from './countsFile.ts'

const OWN = 2000

const secret = randomBytes(32)
function smallCounts(clock: Clock, present: readonly Count[] = []) {
  return createCounts({ secret, clock, present, ownCountsMax: OWN })
}

const limitOf = (key: string): Limit => ({ rule: 'source', key, max: 5, windowSeconds: 900 })

describe('counts under a flood of keys', () => {
  it('stay bounded, displace no other key, and are removed when their windows end', () => {
    const clock = createHandClock()
    const counts = smallCounts(clock)
    const early = limitOf('counted before the flood')
    for (let count = 0; count < 5; count++) counts.take([early])

    for (let index = 0; index < 20 * OWN; index++) counts.take([limitOf(String(index))])
    const entries = counts.entries()
    assert.ok(entries.length > OWN)
    assert.ok(entries.length <= OWN + SHARED_COUNTS)
    assert.equal(counts.take([early]), 900)

    // A new key may share a count with others, but never gets more than its own limit.
    const late = limitOf('comes after the flood')
    let admitted = 0
    while (counts.take([late]) === undefined) admitted += 1
    assert.ok(admitted <= 5)

    // The same holds after a restart and after other keys leave: its shared count continues.
    const restarted = smallCounts(clock, decodeCounts(secret, encodeCounts(secret, counts.entries())))
    assert.ok((restarted.take([late]) ?? 0) > 0)
    for (let index = 0; index < 1_000; index++) restarted.giveBack([limitOf(String(index))])
    assert.ok((restarted.take([late]) ?? 0) > 0)

    clock.advance(900)
    assert.equal(counts.take([late]), undefined)
    assert.equal(counts.entries().length, 1)
  })

  it('leave the other rules their own counts', () => {
    const counts = smallCounts(createHandClock())
    for (let index = 0; index < 2 * OWN; index++) counts.take([limitOf(String(index))])
    const other = (index: number) => ({ ...limitOf(String(index)), rule: 'another', max: 1 })
    for (let index = 0; index < OWN; index++) assert.equal(counts.take([other(index)]), undefined)
  })

  it('free memory in time even if no call asks for an ended window', () => {
    const clock = createHandClock()
    const counts = smallCounts(clock)
    for (let index = 0; index < OWN; index++) counts.take([limitOf(String(index))])
    clock.advance(900)
    for (let index = 0; index < 1_000; index++) counts.take([limitOf(`later ${index}`)])
    assert.equal(counts.entries().length, 1_000)
  })

  it('keep nothing of what was refused or refunded', () => {
    const counts = smallCounts(createHandClock())
    const full = { ...limitOf('full'), max: 0 }
    for (let index = 0; index < 100; index++) counts.take([limitOf(String(index)), full])
    counts.take([limitOf('given back')])
    counts.giveBack([limitOf('given back')])
    assert.deepEqual(counts.entries(), [])
  })
})

describe('the encoding of counts', () => {
  it('decodes what it encoded', () => {
    const counts = [
      { id: '\0ÿabcdefghijklmn', taken: 4_294_967_295, endsAt: 1_780_000_000_123 },
      { id: 'a day of 64 GiB.', taken: 24 * 68_719_476_736, endsAt: 1_780_000_000_123 },
      { id: 'all that counts.', taken: Number.MAX_SAFE_INTEGER, endsAt: 1_780_000_000_123 },
      { id: 'x'.repeat(16), taken: 1, endsAt: 0.5 },
    ]
    assert.deepEqual(decodeCounts(secret, encodeCounts(secret, counts)), counts)
    assert.deepEqual(decodeCounts(secret, encodeCounts(secret, [])), [])
  })

  it('reads the first format, whose counts had four bytes', () => {
    const records = Buffer.alloc(2 * 28)
    records.write('sixteen bytes..1', 0, 'latin1')
    records.writeUInt32BE(7, 16)
    records.writeDoubleBE(1_780_000_000_123, 20)
    records.write('sixteen bytes..ÿ', 28, 'latin1')
    records.writeUInt32BE(4_294_967_295, 44)
    records.writeDoubleBE(0.5, 48)
    const tag = createHmac('sha256', secret).update('counts-file\0').update(records).digest()
    const file = (magic: string) => Buffer.concat([Buffer.from(magic), tag, records])
    assert.deepEqual(decodeCounts(secret, file('BKLIMIT1')), [
      { id: 'sixteen bytes..1', taken: 7, endsAt: 1_780_000_000_123 },
      { id: 'sixteen bytes..ÿ', taken: 4_294_967_295, endsAt: 0.5 },
    ])
    for (const magic of ['BKLIMIT0', 'BKLIMIT2', 'BKLIMIT3'])
      assert.throws(() => decodeCounts(secret, file(magic)), CountsFileBroken)
  })

  it('is not read as another format, even if the records fit', () => {
    // Seven records of 32 bytes are eight of 28.
    const counts = Array.from({ length: 7 }, (_, index) => ({ id: String(index).repeat(16), taken: 1, endsAt: 1 }))
    const file = encodeCounts(secret, counts)
    file.write('BKLIMIT1', 'latin1')
    assert.throws(() => decodeCounts(secret, file), CountsFileBroken)
  })

  it('is refused under another secret', () => {
    assert.throws(() => decodeCounts(randomBytes(32), encodeCounts(secret, [])))
  })
})
