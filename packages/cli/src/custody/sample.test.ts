import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AssetFacts } from '@blindkeep/client/owner'
import { UsageError } from '../ground/exits.ts'
import { createReport } from '../ground/report.ts'
import { agreesToCost, planOf } from './sample.ts'

const MIB = 1024 ** 2
const quiet = createReport({ quiet: true })

/** Files as the server states them, by their plaintext bytes. */
const files = (...sizes: readonly number[]) =>
  sizes.map((plaintext_size) => ({ envelope: { plaintext_size } })) as unknown as readonly AssetFacts[]

describe('the plan of a sample', () => {
  it('is a number, a share of all segments, what finds a loss, or what fits in a size', () => {
    const assets = files(1000 * (MIB - 16), 0, 5)
    const samplesOf = (flags: Parameters<typeof planOf>[0]) => planOf(flags, assets)?.samples
    assert.equal(samplesOf({ sample: { count: 100 } }), 100)
    assert.equal(samplesOf({ sample: { share: 0.01 } }), 11)
    assert.equal(samplesOf({ find: 0.01 }), 459)
    assert.equal(samplesOf({ find: 0.01, sure: 0.95 }), 299)
    assert.equal(samplesOf({ bytes: 50 * MIB }), 50)
    assert.equal(samplesOf({}), undefined)
  })

  it('costs a mebibyte for each, and no more than there is', () => {
    assert.equal(planOf({ sample: { count: 3 } }, files(10 * MIB))?.bytes, 3 * MIB)
    assert.equal(planOf({ sample: { count: 300 } }, files(10, 20))?.bytes, 30 + 2 * 16)
  })

  it('is refused where flags contradict each other or ask for too much', () => {
    const wrong: readonly Parameters<typeof planOf>[0][] = [
      { sample: { count: 1 }, find: 0.01 },
      { sample: { count: 1 }, bytes: MIB },
      { sample: { count: 1 }, deep: true },
      { sure: 0.99 },
      { sample: { count: 1, share: 0.5 }, sure: 0.99 },
      { bytes: MIB - 1 },
      { sample: { count: 100_001 } },
      { find: 0.000_001 },
    ]
    for (const flags of wrong) assert.throws(() => planOf(flags, files(1)), UsageError, JSON.stringify(flags))
  })

  it('is asked about above 100 MiB, and only then', async () => {
    const assets = files(500 * MIB)
    const agrees = async (count: number, yes: boolean) => {
      const plan = planOf({ sample: { count } }, assets)
      assert.ok(plan !== undefined)
      return await agreesToCost(plan, { assets, flags: { yes }, report: quiet })
    }
    assert.equal(await agrees(100, false), true)
    assert.equal(await agrees(101, true), true)
    // There is no terminal to ask at.
    await assert.rejects(agrees(101, false), /at most 105.9 MB to download.*--yes/)
  })
})
