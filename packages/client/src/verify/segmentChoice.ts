/** Which segments a sample asks for, and what it then says: arithmetic, without a server. */
import { concatBytes, utf8 } from '@blindkeep/protocol/bytes'
import { SERVICE } from '@blindkeep/protocol/wire'
import { shake256 } from '@noble/hashes/sha3.js'

/** The seed of a choice. */
export const SEED_BYTES = 32
/** Of one sample: 100 GB. More is cheaper to read as a whole. */
export const MAX_SAMPLES = 100_000
const NUMBER_BYTES = 8

interface Choice {
  /** 32 random bytes. */
  readonly seed: Uint8Array
  /** How many there are to choose from, at least 1. */
  readonly segments: number
  /** How many to draw, at most `MAX_SAMPLES`. */
  readonly samples: number
}

/**
 * Numbers of segments, from 0, drawn uniformly with replacement: the stream SHAKE256(`service/sample/1` ‖ 0 ‖ seed) is
 * read as numbers of 8 bytes, big-endian. Of each only as many low bits count as the largest segment's number has, and
 * it is passed over if there is no such segment.
 */
export function chooseSegments({ seed, segments, samples }: Choice): readonly number[] {
  if (seed.length !== SEED_BYTES) throw new RangeError(`a seed is ${SEED_BYTES} bytes`)
  if (!Number.isSafeInteger(segments) || segments < 1) throw new RangeError('there is nothing to choose from')
  if (!Number.isSafeInteger(samples) || samples < 0 || samples > MAX_SAMPLES)
    throw new RangeError(`a sample has at most ${MAX_SAMPLES} segments`)
  const stream = shake256.create({}).update(concatBytes(utf8(`${SERVICE}/sample/1`), Uint8Array.of(0), seed))
  const lowBits = segments === 1 ? 0 : (segments - 1).toString(2).length
  const chosen: number[] = []
  while (chosen.length < samples) {
    const bytes = stream.xof(NUMBER_BYTES)
    const number = Number(BigInt.asUintN(lowBits, new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)))
    if (number < segments) chosen.push(number)
  }
  return chosen
}

/**
 * How many samples find it with the probability `sure` that the share `share` of all segments is lost; both between 0
 * and 1. Throws `RangeError` for more than `MAX_SAMPLES`.
 */
export function samplesToFind({ share, sure }: { readonly share: number; readonly sure: number }): number {
  const samples = Math.ceil(Math.log1p(-sure) / Math.log1p(-share))
  if (!(samples >= 1 && samples <= MAX_SAMPLES)) throw new RangeError(`a sample has at most ${MAX_SAMPLES} segments`)
  return samples
}

/** The smallest share of all segments, between 0 and 1, whose loss so many samples find with the probability `sure`. */
export function shareFound(samples: number, sure: number): number {
  return samples === 0 ? 1 : -Math.expm1(Math.log1p(-sure) / samples)
}
