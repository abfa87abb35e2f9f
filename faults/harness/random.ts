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

/**
 * Incompressible bytes, the same for the same seed. The server cannot tell them from sealed ones. They are a part of
 * one stream, not a copy of it, so that large files need no memory and no time: do not write to them. Two files of one
 * size are the same only if they begin at the same one of 2^24 places.
 */
export function randomContent(seed: string, size: number): Buffer<ArrayBuffer> {
  const start = createHash('sha256').update(seed).digest().readUIntBE(0, 3)
  const missing = start + size - stream.length
  // At least doubled, as growing copies it.
  if (missing > 0) stream = Buffer.concat([stream, cipher.update(Buffer.alloc(Math.max(missing, stream.length)))])
  return stream.subarray(start, start + size)
}

const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
let stream = Buffer.alloc(0)

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
