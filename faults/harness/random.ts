/**
 * Random numbers that a seed reproduces. Each part of a run forks its own source by name, so that the choices of one
 * guest do not depend on how far another has come. A seed reproduces the plan, not the timing (how far the server was
 * when it was killed).
 */
import { createCipheriv, createHash } from 'node:crypto'

export interface Random {
  /** From 0 up to, but not including, 1. */
  fraction(): number
  /** Both ends included. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  /** Throws when there is nothing to pick from. */
  pick<Value>(values: readonly Value[]): Value
  /** Lowercase, two characters a byte. */
  hex(bytes: number): string
  fork(name: string): Random
}

export function createRandom(seed: string): Random {
  const next = uniform(seed)
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
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

/** Incompressible bytes, the same for the same seed. The server cannot tell them from sealed ones. */
export function randomContent(seed: string, size: number): Buffer<ArrayBuffer> {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16)
  if (zeros.length < size) zeros = Buffer.alloc(size)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(zeros.subarray(0, size))
}

/** As many as the largest content: new ones each time would keep the garbage collector busy. */
let zeros = Buffer.alloc(0)

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
