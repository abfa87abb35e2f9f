import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { WINDOWS } from './assets/interrupted.ts'
import { runR2a } from './r2a.ts'

const HITS = 3

describe('adoptions that a kill interrupts', () => {
  it('leave each drop pending, claimed or adopted, and end as one asset each', async (test) => {
    const seed = process.env.FAULTS_SEED ?? randomBytes(4).toString('hex')
    test.diagnostic(`npm run faults -- R2a --hits ${HITS} --seed ${seed}`)
    const { faults, ...report } = await runR2a({ hits: HITS, seed, tell: () => undefined })
    test.diagnostic(JSON.stringify(report))
    assert.deepEqual(faults, [], `seed ${seed}`)
    for (const window of WINDOWS) assert.ok(report.kills[window] >= HITS, `killed ${window}`)
  })
})
