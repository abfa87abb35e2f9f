/**
 * Two contents that two keys seal to one ciphertext with one tag: AES-GCM does not commit to its key (Dodis, Grubbs,
 * Ristenpart, Woodage, 2018). A reader that does not compare the commitment takes either for the file.
 */
import { createCipheriv } from 'node:crypto'
import { type Bytes, concatBytes, fromHex, uint32be } from '@blindkeep/protocol/bytes'
import type { StreamSecrets } from '../../packages/client/src/seal/derive.ts'
import { known } from './inputs.ts'

const BLOCK = 16
/** x^128 + x^7 + x^2 + x + 1, in GCM's order of bits: the highest bit is the coefficient of 1. */
const REDUCTION = 0xe1n << 120n
const ONE = 1n << 127n

function times(a: bigint, b: bigint): bigint {
  let [product, shifted] = [0n, a]
  for (let bit = 127n; bit >= 0n; bit--) {
    if ((b >> bit) & 1n) product ^= shifted
    shifted = shifted & 1n ? (shifted >> 1n) ^ REDUCTION : shifted >> 1n
  }
  return product
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [ONE, base]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = times(result, square)
    square = times(square, square)
  }
  return result
}

const inverse = (a: bigint) => power(a, (1n << 128n) - 2n)
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (number: bigint) => fromHex(number.toString(16).padStart(2 * BLOCK, '0'))

interface Half {
  /** What GHASH multiplies with. */
  readonly hashKey: bigint
  /** What is added to the hash to get the tag. */
  readonly mask: bigint
  /** Of the block at this place, from 0. */
  readonly keystream: (index: number) => Uint8Array
}

/** Of the only data segment. */
function halfOf({ key, noncePrefix }: StreamSecrets): Half {
  const block = (input: Uint8Array) => {
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(input), cipher.final()])
  }
  const counted = (counter: number) => block(concatBytes(noncePrefix, uint32be(1), Uint8Array.of(1), uint32be(counter)))
  return {
    hashKey: numberOf(block(new Uint8Array(BLOCK))),
    mask: numberOf(counted(1)),
    keystream: (index) => counted(index + 2),
  }
}

const xor = (a: Uint8Array, b: Uint8Array): Bytes => Uint8Array.from(a, (byte, at) => byte ^ known(b[at]))

/** Two contents of 48 bytes. The first begins and ends with `start` and `end`, 16 bytes each. */
export function salamander(one: StreamSecrets, other: StreamSecrets, { start, end }: Record<'start' | 'end', Bytes>) {
  const [first, second] = [halfOf(one), halfOf(other)]
  const [sealedStart, sealedEnd] = [xor(start, first.keystream(0)), xor(end, first.keystream(2))]
  const lengths = BigInt(3 * BLOCK * 8)
  const hash = ({ hashKey }: Half, middle: bigint) =>
    [numberOf(sealedStart), middle, numberOf(sealedEnd), lengths].reduce(
      (sum, block) => times(sum ^ block, hashKey),
      0n,
    )
  // Both tags are linear in the block between: solve for the one where they agree.
  const difference = hash(first, 0n) ^ first.mask ^ hash(second, 0n) ^ second.mask
  const slope = power(first.hashKey, 3n) ^ power(second.hashKey, 3n)
  const sealed = [sealedStart, bytesOf(times(difference, inverse(slope))), sealedEnd]
  const contentOf = ({ keystream }: Half) => concatBytes(...sealed.map((block, index) => xor(block, keystream(index))))
  return [contentOf(first), contentOf(second)] as const
}
