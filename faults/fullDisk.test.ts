import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { whyNoSmallDisk } from './disk.ts'
import { runR4 } from './r4.ts'

const ROUNDS = 5
const skip = whyNoSmallDisk()

describe('a server whose disk runs full under load', () => {
  it('refuses with 500 error.storage.unavailable, loses nothing, and goes on when there is room again', {
    skip,
  }, async (test) => {
    const seed = process.env.FAULTS_SEED ?? randomBytes(4).toString('hex')
    test.diagnostic(`npm run faults -- R4 --rounds ${ROUNDS} --seed ${seed}`)
    const report = await runR4({ rounds: ROUNDS, seed, guests: 4, tell: () => undefined })
    assert.ok('faults' in report)
    test.diagnostic(JSON.stringify({ ...report, log: undefined }))
    assert.deepEqual(report.faults, [], `seed ${seed}`)
    assert.ok(report.counts.refusedForSpace > 0 && report.counts.landings > 0, 'the disk was full under a load')
  })
})
