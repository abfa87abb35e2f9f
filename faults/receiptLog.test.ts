import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { runReceiptLog } from './receiptLog.ts'

describe('the receipt log of a server that is killed while its key is rotated', () => {
  it('is one chain that an independent checker finds good, and finds every alteration of', async (test) => {
    const seed = process.env.FAULTS_SEED ?? randomBytes(4).toString('hex')
    const options = { count: 150, rotations: 1, restarts: 1, bytes: 10, fscks: 2 }
    test.diagnostic(`npm run faults -- receipts ${optionsText(options)} --seed ${seed}`)
    const report = await runReceiptLog({ ...options, seed, tell: () => undefined })
    assert.deepEqual(report.faults, [], `seed ${seed}`)
    assert.equal(report.receipts, 150)
    assert.ok(report.signed.length === 2 && report.signed.every((count) => count > 0), 'both keys have signed')
    assert.ok(report.altered > 20)
  })
})

const optionsText = (options: Readonly<Record<string, number>>) =>
  Object.entries(options)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ')
