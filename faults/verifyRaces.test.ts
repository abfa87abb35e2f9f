import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { runVerifyRaces } from './verifyRaces.ts'

const ROUNDS = 30

describe('a server that is asked for what is being deleted, replaced, discarded and collected', () => {
  it('calls nothing durable that is not there for the whole window', async (test) => {
    const seed = process.env.FAULTS_SEED ?? randomBytes(4).toString('hex')
    test.diagnostic(`npm run faults -- verify --rounds ${ROUNDS} --seed ${seed}`)
    const { faults, log, ...counts } = await runVerifyRaces({ rounds: ROUNDS, seed, tell: () => undefined })
    test.diagnostic(JSON.stringify(counts))
    assert.deepEqual(faults, [], `seed ${seed}\n${log}`)
    assert.ok(counts.durable > ROUNDS && counts.goneSoonAfter > ROUNDS, 'there was something to be wrong about')
  })
})
