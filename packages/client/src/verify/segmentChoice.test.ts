import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fromHex, uint32be } from '@blindkeep/protocol/bytes'
import { parseAssetId, parseSha256Hex } from '@blindkeep/protocol/ids'
import { sha256 } from '@noble/hashes/sha2.js'
import vectors from '../../../../vectors/samples.json' with { type: 'json' }
import { populationOf } from './population.ts'
import { chooseSegments, MAX_SAMPLES, samplesToFind, shareFound } from './segmentChoice.ts'

const seedOf = (run: number) => sha256(uint32be(run))

describe('the population', () => {
  it('is that of the vectors, in whatever order its files come', () => {
    for (const { files, segments, hash, edges } of vectors.populations)
      for (const given of [files, files.toReversed(), [...files, ...files]]) {
        const population = populationOf(
          given.map(({ asset_id, hash, plaintext_size: plaintextSize }) => ({
            assetId: parseAssetId(asset_id) ?? assert.fail(),
            hash: parseSha256Hex(hash) ?? assert.fail(),
            plaintextSize,
            opener: { key: new Uint8Array(32), purpose: 'original', contextId: new Uint8Array(16) },
          })),
        )
        assert.deepEqual([population.segments, population.hash], [segments, hash])
        for (const [number, assetId, segment] of edges) {
          const at = population.at(Number(number))
          assert.deepEqual([at.original.assetId, at.segment], [assetId, segment])
        }
        assert.throws(() => population.at(segments), RangeError)
      }
  })
})

describe('the choice of segments', () => {
  it('is that of the vectors', () => {
    for (const { seed, segments, chosen } of vectors.choices)
      assert.deepEqual(chooseSegments({ seed: fromHex(seed), segments, samples: chosen.length }), chosen)
  })

  it('misses a share f with n samples as often as (1 − f)ⁿ says', () => {
    const runs = 1000
    const segments = 2000
    for (const [lost, samples] of [
      [20, 299],
      [100, 30],
    ] as const) {
      const missed = Array.from({ length: runs }, (_, run) =>
        chooseSegments({ seed: seedOf(run), segments, samples }).every((chosen) => chosen >= lost),
      ).filter(Boolean).length
      const chance = (1 - lost / segments) ** samples
      const spread = Math.sqrt(runs * chance * (1 - chance))
      assert.ok(Math.abs(missed - runs * chance) < 3 * spread, `${missed} of ${runs}, expected ${runs * chance}`)
    }
  })

  it('draws every segment equally often, also where half of the numbers are passed over', () => {
    const segments = 17
    const counts = new Array<number>(segments).fill(0)
    for (const chosen of chooseSegments({ seed: seedOf(0), segments, samples: 34_000 }))
      counts[chosen] = (counts[chosen] ?? 0) + 1
    const squares = counts.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0)
    assert.ok(squares < 34.3, `chi-squared of 16 degrees of freedom is ${squares}: above 34.3 in 1 of 200 cases`)
  })

  it('refuses what it cannot choose from', () => {
    const choice = { seed: seedOf(0), segments: 10, samples: 1 }
    for (const wrong of [{ segments: 0 }, { segments: 2 ** 53 }, { samples: MAX_SAMPLES + 1 }, { samples: -1 }])
      assert.throws(() => chooseSegments({ ...choice, ...wrong }), RangeError)
    assert.throws(() => chooseSegments({ ...choice, seed: new Uint8Array(31) }), RangeError)
  })
})

describe('a second reader', () => {
  const hasPython = spawnSync('python3', ['-c', '']).status === 0

  it('in Python agrees with all vectors', { skip: hasPython ? false : 'needs python3' }, () => {
    const [program, file] = ['examples/sample_choices.py', 'vectors/samples.json'].map((path) =>
      fileURLToPath(new URL(`../../../../${path}`, import.meta.url)),
    )
    const { status, stdout, stderr } = spawnSync('python3', [program ?? '', file ?? ''], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^12 choices and 1 populations agree\.$/m)
  })
})

describe('what samples find', () => {
  it('is as the design counts it', () => {
    assert.equal(samplesToFind({ share: 0.05, sure: 0.99 }), 90)
    assert.equal(samplesToFind({ share: 0.01, sure: 0.95 }), 299)
    assert.equal(samplesToFind({ share: 0.01, sure: 0.99 }), 459)
    assert.throws(() => samplesToFind({ share: 1e-9, sure: 0.99 }), RangeError)
  })

  it('is a share that so many samples do find', () => {
    for (const samples of [1, 90, 459]) {
      const share = shareFound(samples, 0.99)
      assert.ok(Math.abs((1 - share) ** samples - 0.01) < 1e-9)
    }
    assert.equal(shareFound(0, 0.99), 1)
  })
})
