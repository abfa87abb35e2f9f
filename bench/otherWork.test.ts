import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { CAN_WATCH, TICKS_A_SECOND, takenSoFar } from './otherWork.ts'
import { measureRow, type OpenRow, type Row } from './row.ts'

/** Ends when it has used so much processor time. */
const burning = (seconds: number) =>
  `while (process.cpuUsage().user < ${seconds * 1e6}) for (let at = 0; at < 1e6; at++);`
/** Processor time is counted in ticks, of several processes. */
const TOLERANCE = 0.1

describe('the watch over other work', { skip: CAN_WATCH ? false : 'there is no /proc' }, () => {
  it('counts a child, also when it has ended, as own', () => {
    const before = takenSoFar()
    execFileSync(process.execPath, ['-e', burning(0.3)])
    assert.ok((takenSoFar().own - before.own) / TICKS_A_SECOND >= 0.3 - TOLERANCE)
  })

  it('does not count a process as own that is no descendant', () => {
    const before = takenSoFar()
    // The shell in between ends at once, and its child belongs to another process then.
    const child = `"${process.execPath}" -e '${burning(0.3)} console.log("done")'`
    assert.equal(execFileSync('sh', ['-c', `(${child} &)`], { encoding: 'utf8' }).trim(), 'done')
    const after = takenSoFar()
    const others = after.all - before.all - (after.own - before.own)
    assert.ok(others / TICKS_A_SECOND >= 0.3 - TOLERANCE, `${others}`)
  })
})

describe('a round beside other work', () => {
  const row: Row = { name: 'row', ids: ['X'], what: 'a figure', open: () => assert.fail() }

  /** The figures of three rounds that count, if other work took these shares of a core in turn. */
  async function measured(shares: readonly number[]) {
    let value = 0
    const lane = { name: 'lane', measure: async () => ({ value: ++value }) }
    const open: OpenRow = { unit: '/s', lanes: [lane], comparisons: [{ id: 'X', lane, most: 9 }] }
    const left = [...shares]
    const watch = () => () => left.shift() ?? 0
    const [result] = await measureRow(row, open, { warmups: 1, rounds: 3, print: () => undefined, watch })
    assert.ok(result)
    const { figure, remarks, thrownAway, otherWork } = result
    return { rounds: value, figure: figure.value, remarks, thrownAway, otherWork }
  }

  it('counts if it took little', async () => {
    assert.deepEqual(await measured([9, 0.1, 0, 0.2]), {
      rounds: 4,
      figure: 3,
      remarks: [],
      thrownAway: [],
      otherWork: 0,
    })
  })

  it('is thrown away and repeated, and the report says so', async () => {
    const { rounds, figure, remarks, thrownAway, otherWork } = await measured([0, 0, 0.7, 0.9, 0, 0])
    assert.deepEqual([rounds, figure, thrownAway, otherWork], [6, 5, [0.7, 0.9], 0])
    assert.deepEqual(remarks, ['2 rounds were thrown away: other work took up to 90 % of a core'])
  })

  it('counts after as many were thrown away as were asked for, and the report says so', async () => {
    const { rounds, remarks, thrownAway, otherWork } = await measured(Array.from({ length: 20 }, () => 0.5))
    assert.deepEqual([rounds, thrownAway, otherWork], [1 + 3 + 3, [0.5, 0.5, 0.5], 0.5])
    assert.deepEqual(remarks, [
      '3 rounds were thrown away: other work took up to 50 % of a core',
      'It took up to 50 % of a core in rounds that count, too: the figures are not reliable',
    ])
  })
})
