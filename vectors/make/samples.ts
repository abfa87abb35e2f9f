import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { parseAssetId, parseSha256Hex } from '@blindkeep/protocol/ids'
import { populationOf } from '../../packages/client/src/verify/population.ts'
import { chooseSegments } from '../../packages/client/src/verify/segmentChoice.ts'
import { BLOB_KEY, known, rising } from './inputs.ts'

const MIB = 2 ** 20
const SEEDS = [toHex(rising(0, 32)), 'ff'.repeat(32)]
/** One, a power of two, one more than that, where half of the numbers are passed over, and the largest. */
const SEGMENTS = [1, 2, 1024, 1025, 123_456_789, 2 ** 53 - 1]
/** An empty file, one of exactly one segment, one byte more, and a large one; not in the order of the ids. */
const FILES = [
  ['0fffffff-0000-4000-8000-000000000000', MIB - 16],
  ['00000000-0000-4000-8000-000000000001', 0],
  ['ffffffff-0000-4000-8000-000000000000', 5_000_000_000],
  ['0fffffff-0000-4000-8000-000000000001', MIB - 15],
] as const

export function sampleVectors() {
  const files = FILES.map(([id, plaintextSize], index) => ({
    asset_id: known(parseAssetId(id)),
    hash: known(parseSha256Hex(toHex(rising(index, 32)))),
    plaintext_size: plaintextSize,
  }))
  const population = populationOf(
    files.map(({ asset_id: assetId, hash, plaintext_size: plaintextSize }) => ({
      assetId,
      hash,
      plaintextSize,
      opener: { key: BLOB_KEY, purpose: 'original', contextId: new Uint8Array(16) },
    })),
  )
  const { segments, hash } = population
  const seed = known(SEEDS[0])
  return {
    choices: SEEDS.flatMap((seed) =>
      SEGMENTS.map((segments) => ({
        seed,
        segments,
        chosen: chooseSegments({ seed: fromHex(seed), segments, samples: 20 }),
      })),
    ),
    populations: [
      {
        files,
        segments,
        hash,
        seed,
        samples: chooseSegments({ seed: fromHex(seed), segments, samples: 20 }).map((number) => {
          const { original, segment } = population.at(number)
          return [original.assetId, segment]
        }),
        edges: [0, 1, 2, 3, segments - 1].map((number) => {
          const { original, segment } = population.at(number)
          return [number, original.assetId, segment]
        }),
      },
    ],
  }
}
