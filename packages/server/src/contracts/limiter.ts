import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Limit, Limiter } from '../ports/limiter.ts'

/** One adapter over empty counts of its own. */
export interface LimiterWorld {
  /** Opens the counts, as a new process does. */
  open(): Promise<Limiter>
  /** Lets so much time pass for the limiter. */
  advance(seconds: number): Promise<void>
}

/** Bytes that one account may have read in an hour, as an example of a limit far beyond 32 bits. */
const GIBIBYTE = 2 ** 30
export const ofBytes: Limit = { rule: 'bytes-of-account', key: 'an account', max: 64 * GIBIBYTE, windowSeconds: 3600 }

export const ofLink: Limit = {
  rule: 'passphrase-of-link',
  key: 'a link that no client may learn of',
  max: 3,
  windowSeconds: 900,
}

/** Tests the promises of `Limiter` on one adapter. `inWorld` runs a test in a world of its own. */
export function limiterContract(
  name: string,
  inWorld: (work: (world: LimiterWorld) => Promise<void>) => () => Promise<void>,
): void {
  describe(`${name} keeps the promises of Limiter`, () => {
    it(
      'admits as many as a window allows, and answers how long the window still runs',
      inWorld(async ({ advance, open }) => {
        const limiter = await open()
        for (let count = 0; count < 3; count++) assert.equal(await limiter.take([ofLink]), undefined)
        assert.equal(await limiter.take([ofLink]), 900)
        await advance(899.5)
        assert.equal(await limiter.take([ofLink]), 1)
        await advance(0.5)
        assert.equal(await limiter.take([ofLink]), undefined)
        await limiter.close()
      }),
    )

    it(
      'starts a window with its first attempt, and does not prolong it by refusals',
      inWorld(async ({ advance, open }) => {
        const limiter = await open()
        const one = { ...ofLink, max: 1 }
        await advance(600)
        await limiter.take([one])
        await advance(600)
        assert.equal(await limiter.take([one]), 300)
        await advance(300)
        assert.equal(await limiter.take([one]), undefined)
        assert.equal(await limiter.take([one]), 900)
        await limiter.close()
      }),
    )

    it(
      'admits exactly the allowed number of 64 simultaneous attempts',
      inWorld(async ({ open }) => {
        const limiter = await open()
        const answers = await Promise.all(Array.from({ length: 64 }, () => limiter.take([{ ...ofLink, max: 10 }])))
        assert.equal(answers.filter((answer) => answer === undefined).length, 10)
        await limiter.close()
      }),
    )

    it(
      'counts against all limits or none, and answers the longest wait',
      inWorld(async ({ advance, open }) => {
        const limiter = await open()
        const [short, long] = [
          { ...ofLink, rule: 'short', max: 1, windowSeconds: 60 },
          { ...ofLink, rule: 'long', max: 1, windowSeconds: 600 },
        ]
        await limiter.take([short])
        await limiter.take([long])
        assert.equal(await limiter.take([ofLink, short, long]), 600)
        assert.equal(await limiter.take([ofLink, short]), 60)
        for (let count = 0; count < 3; count++) assert.equal(await limiter.take([ofLink]), undefined)
        await advance(60)
        assert.equal(await limiter.take([short, ofLink]), 840)
        assert.equal(await limiter.take([short]), undefined)
        await limiter.close()
      }),
    )

    it(
      'counts the same limit twice if it is given twice',
      inWorld(async ({ open }) => {
        const limiter = await open()
        assert.equal(await limiter.take([ofLink, ofLink]), undefined)
        assert.equal(await limiter.take([ofLink, ofLink]), 900)
        assert.equal(await limiter.take([ofLink]), undefined)
        await limiter.close()
      }),
    )

    it(
      'gives back what should not count, and never more than was counted',
      inWorld(async ({ advance, open }) => {
        const limiter = await open()
        for (let count = 0; count < 3; count++) await limiter.take([ofLink])
        await limiter.giveBack([ofLink])
        assert.equal(await limiter.take([ofLink]), undefined)
        assert.equal(await limiter.take([ofLink]), 900)
        for (let count = 0; count < 10; count++) await limiter.giveBack([ofLink])
        for (let count = 0; count < 3; count++) assert.equal(await limiter.take([ofLink]), undefined)
        assert.equal(await limiter.take([ofLink]), 900)
        await advance(900)
        await limiter.giveBack([ofLink])
        for (let count = 0; count < 3; count++) assert.equal(await limiter.take([ofLink]), undefined)
        assert.equal(await limiter.take([ofLink]), 900)
        await limiter.close()
      }),
    )

    it(
      'counts rules and keys separately',
      inWorld(async ({ open }) => {
        const limiter = await open()
        const limits = ['rule', 'rul', 'r'].flatMap((rule) =>
          ['', 'e', 'ule', 'x'].map((key) => ({ ...ofLink, rule, key, max: 1 })),
        )
        for (const limit of limits) assert.equal(await limiter.take([limit]), undefined)
        for (const limit of limits) assert.equal(await limiter.take([limit]), 900)
        await limiter.close()
      }),
    )

    it(
      'refuses every attempt if the limit is 0',
      inWorld(async ({ open }) => {
        const limiter = await open()
        assert.equal(await limiter.take([{ ...ofLink, max: 0 }]), 900)
        await limiter.close()
      }),
    )

    it(
      'counts by weight, far beyond 32 bits, up to exactly the limit',
      inWorld(async ({ advance, open }) => {
        const limiter = await open()
        assert.equal(await limiter.take([{ ...ofBytes, weight: 40 * GIBIBYTE }]), undefined)
        await advance(600)
        assert.equal(await limiter.take([{ ...ofBytes, weight: 24 * GIBIBYTE + 1 }]), 3000)
        assert.equal(await limiter.take([{ ...ofBytes, weight: 24 * GIBIBYTE - 1 }]), undefined)
        assert.equal(await limiter.take([ofBytes]), undefined)
        assert.equal(await limiter.take([ofBytes]), 3000)
        await advance(3000)
        assert.equal(await limiter.take([{ ...ofBytes, weight: 64 * GIBIBYTE }]), undefined)
        await limiter.close()
      }),
    )

    it(
      'admits an attempt that is heavier than the limit only to an empty window, which is then full',
      inWorld(async ({ advance, open }) => {
        const limiter = await open()
        const heavy = { ...ofBytes, weight: 1024 * GIBIBYTE }
        await limiter.take([ofBytes])
        assert.equal(await limiter.take([heavy]), 3600)
        await advance(3600)
        assert.equal(await limiter.take([heavy]), undefined)
        assert.equal(await limiter.take([ofBytes]), 3600)
        await limiter.giveBack([heavy])
        assert.equal(await limiter.take([{ ...heavy, weight: Number.MAX_SAFE_INTEGER }]), undefined)
        assert.equal(await limiter.take([{ ...heavy, max: 0 }]), 3600)
        await limiter.close()
      }),
    )

    it(
      'gives back by weight, also what was counted beside a refusal',
      inWorld(async ({ open }) => {
        const limiter = await open()
        const [light, heavy] = [
          { ...ofBytes, weight: 10 * GIBIBYTE },
          { ...ofBytes, weight: 50 * GIBIBYTE },
        ]
        await limiter.take([light])
        await limiter.take([heavy])
        await limiter.giveBack([heavy])
        assert.equal(await limiter.take([heavy, { ...ofLink, max: 0 }]), 3600 / 4)
        assert.equal(await limiter.take([{ ...ofBytes, weight: 54 * GIBIBYTE }]), undefined)
        assert.equal(await limiter.take([ofBytes]), 3600)
        for (let count = 0; count < 2; count++) await limiter.giveBack([heavy])
        assert.equal(await limiter.take([{ ...ofBytes, weight: 64 * GIBIBYTE }]), undefined)
        await limiter.close()
      }),
    )

    it(
      'refuses an invalid weight, and counts nothing',
      inWorld(async ({ open }) => {
        const limiter = await open()
        const whole = { ...ofBytes, weight: ofBytes.max }
        for (const weight of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
          await assert.rejects(limiter.take([whole, { ...ofLink, weight }]), RangeError)
          await assert.rejects(limiter.giveBack([{ ...ofLink, weight }]), RangeError)
        }
        assert.equal(await limiter.take([whole, ofLink]), undefined)
        await limiter.close()
      }),
    )

    it(
      'keeps counts and windows across a restart',
      inWorld(async ({ advance, open }) => {
        const before = await open()
        for (let count = 0; count < 2; count++) await before.take([ofLink])
        await before.close()
        await advance(100)
        const after = await open()
        assert.equal(await after.take([ofLink]), undefined)
        assert.equal(await after.take([ofLink]), 800)
        await advance(800)
        assert.equal(await after.take([ofLink]), undefined)
        await after.close()
      }),
    )

    it(
      'keeps weights across a restart',
      inWorld(async ({ open }) => {
        const before = await open()
        await before.take([{ ...ofBytes, weight: 63 * GIBIBYTE }])
        await before.close()
        const after = await open()
        assert.equal(await after.take([{ ...ofBytes, weight: GIBIBYTE + 1 }]), 3600)
        assert.equal(await after.take([{ ...ofBytes, weight: GIBIBYTE }]), undefined)
        await after.close()
      }),
    )
  })
}
