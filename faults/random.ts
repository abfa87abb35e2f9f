/**
 * Chance that repeats for a seed. Each part of a run has random of its own, forked by name, so that what one guest throws does not depend on how far
 * another has come. What the clock decides (how far the server was when it was killed) no seed can repeat; the plan it can.
 */
import { createCipheriv, createHash } from 'node:crypto'

export interface Random {
  /** From 0 up to, not including, 1. */
  fraction(): number
  /** Both ends included. */
  integer(least: number, most: number): number
  chance(probability: number): boolean
  /** Throws when there is nothing to pick from. */
  pick<Value>(values: readonly Value[]): Value
  /** Lowercase, two characters a byte. */
  hex(bytes: number): string
  fork(name: string): Random
}

export function createRandom(seed: string): Random {
  const next = uniform(seed)
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    fraction: next,
    integer,
    chance: (probability) => next() < probability,
    pick(values) {
      const picked = values[integer(0, values.length - 1)]
      if (picked === undefined) throw new Error('there is nothing to pick from')
      return picked
    },
    hex: (bytes) => Array.from({ length: bytes }, () => integer(0, 255).toString(16).padStart(2, '0')).join(''),
    fork: (name) => createRandom(`${seed}/${name}`),
  }
}

/** The generator sfc32: small, fast, and good enough for choices. */
function uniform(seed: string): () => number {
  const start = createHash('sha256').update(seed).digest()
  let [a, b, c, counter] = [start.readUInt32LE(0), start.readUInt32LE(4), start.readUInt32LE(8), 1]
  return () => {
    const mixed = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + mixed) | 0
    return (mixed >>> 0) / 2 ** 32
  }
}

/** Bytes that no compression shortens, the same ones for the same seed: the server is blind, so they are as good a drop as sealed ones. */
export function randomContent(seed: string, size: number): Buffer {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
