import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { runR2 } from './r2.ts'

const KILLS = 12

describe('a server that is killed again and again under load', () => {
  it('loses nothing that it acknowledged, and stays whole in rows, files and receipts', async (test) => {
    const seed = process.env.FAULTS_SEED ?? randomBytes(4).toString('hex')
    test.diagnostic(`npm run faults -- R2 --kills ${KILLS} --seed ${seed}`)
    const { faults, counts, met } = await runR2({ kills: KILLS, seed, guests: 6, tell: () => undefined })
    test.diagnostic(JSON.stringify({ counts, met }))
    assert.deepEqual(faults, [], `seed ${seed}`)
    assert.ok(counts.kills >= KILLS && counts.chunks > 0 && counts.landings > 0, 'there was a load to be killed under')
  })
})
