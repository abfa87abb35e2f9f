import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyBytes, changedBytes, runs } from '../../../../testing/decoding.ts'
import { askResolver, parseHttpsRecords } from './httpsRecord.ts'

const label = (text: string) => [text.length, ...Buffer.from(text)]
const QUESTION = [...label('keep'), ...label('example'), 0, 0, 65, 0, 1]

/** An answer about keep.example (RFC 9460, section 2): records of a type, with their data. */
function answerOf(...records: readonly (readonly [type: number, data: readonly number[]])[]): Uint8Array {
  const rows = records.flatMap(([type, data]) => [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data])
  return Uint8Array.from([0, 1, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0, ...QUESTION, ...rows])
}

const HINTS = [0, 1, 0, 0, 4, 0, 4, 10, 0, 0, 1]
const ALIAS = [0, 0, ...label('other'), 0xc0, 17]
const VALID = [answerOf([65, HINTS], [65, ALIAS]), answerOf([1, [10, 0, 0, 1]]), answerOf()]

describe('parseHttpsRecords', () => {
  it('returns priority and target of each HTTPS record, and nothing of others', () => {
    assert.deepEqual(VALID.map(parseHttpsRecords), [['priority 1, the same name', 'priority 0, other.example'], [], []])
  })

  it('throws RangeError, or returns texts, for any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(anyBytes, changedBytes(...VALID)), (bytes) => {
        try {
          for (const text of parseHttpsRecords(bytes)) assert.match(text, /^priority \d+, /)
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error))
        }
      }),
      runs(500),
    )
  })
})

describe('the question about HTTPS records', () => {
  it('is answered by a resolver, and a resolver without a record or with nonsense says nothing', async (t) => {
    const longs = Array.from({ length: 5 }, () => label('x'.repeat(63))).flat()
    for (const [answer, said] of [
      // A line of its own would look like a word of this program.
      [
        answerOf([65, [0, 0, ...label('a\nkeep served'), 0]]),
        'DNS has an HTTPS record for keep.example: priority 0, a\uFFFDkeep served',
      ],
      [answerOf([65, [0, 0, ...longs, 0]]), undefined],
      [
        answerOf(...Array.from({ length: 20 }, () => [65, HINTS] as const)),
        `DNS has an HTTPS record for keep.example: ${Array.from({ length: 8 }, () => 'priority 1, the same name').join('; ')}`,
      ],
      [VALID[0], 'DNS has an HTTPS record for keep.example: priority 1, the same name; priority 0, other.example'],
      [VALID[2], undefined],
      [Uint8Array.of(1, 2, 3), undefined],
    ] as const) {
      const resolver = createSocket('udp4')
      t.after(() => resolver.close())
      resolver.bind(0, '127.0.0.1')
      await once(resolver, 'listening')
      let asked = Buffer.alloc(0)
      resolver.on('message', (message, { port, address }) => {
        asked = message
        resolver.send(answer ?? '', port, address)
      })
      assert.equal(await askResolver('keep.example', `127.0.0.1:${resolver.address().port}`), said)
      assert.deepEqual([...asked.subarray(12)], QUESTION)
    }
  })
})
