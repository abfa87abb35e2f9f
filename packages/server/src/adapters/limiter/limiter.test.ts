import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Limit } from '../../ports/limiter.ts'
import { createHandClock, type HandClock } from '../../testing/handClock.ts'
import { openLimiter } from './limiter.ts'

interface World {
  readonly clock: HandClock
  readonly path: string
  readonly directory: string
  readonly warnings: string[]
  open(secret?: Uint8Array): ReturnType<typeof openLimiter>
}

function inWorld(work: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory = mkdtempSync(join(tmpdir(), 'blindkeep-limiter-'))
    const clock = createHandClock()
    const warnings: string[] = []
    const path = join(directory, 'limits')
    const ownSecret = randomBytes(32)
    const open = (secret = ownSecret) => openLimiter({ path, secret, clock, warn: (event) => warnings.push(event) })
    try {
      await work({ clock, path, directory, warnings, open })
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
}

/** Bytes that one account may have read in an hour, as an example of a limit far beyond 32 bits. */
const GIBIBYTE = 2 ** 30
const ofBytes: Limit = { rule: 'bytes-of-account', key: 'an account', max: 64 * GIBIBYTE, windowSeconds: 3600 }

const ofLink: Limit = {
  rule: 'passphrase-of-link',
  key: 'a link that no client may learn of',
  max: 3,
  windowSeconds: 900,
}

describe('the limiter', () => {
  it(
    'admits as many as a window allows, and answers how long the window still runs',
    inWorld(async ({ clock, open }) => {
      const limiter = await open()
      for (let count = 0; count < 3; count++) assert.equal(await limiter.take([ofLink]), undefined)
      assert.equal(await limiter.take([ofLink]), 900)
      clock.advance(899.5)
      assert.equal(await limiter.take([ofLink]), 1)
      clock.advance(0.5)
      assert.equal(await limiter.take([ofLink]), undefined)
      await limiter.close()
    }),
  )

  it(
    'starts a window with its first attempt, and does not prolong it by refusals',
    inWorld(async ({ clock, open }) => {
      const limiter = await open()
      const one = { ...ofLink, max: 1 }
      clock.advance(600)
      await limiter.take([one])
      clock.advance(600)
      assert.equal(await limiter.take([one]), 300)
      clock.advance(300)
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
    inWorld(async ({ clock, open }) => {
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
      clock.advance(60)
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
    inWorld(async ({ clock, open }) => {
      const limiter = await open()
      for (let count = 0; count < 3; count++) await limiter.take([ofLink])
      await limiter.giveBack([ofLink])
      assert.equal(await limiter.take([ofLink]), undefined)
      assert.equal(await limiter.take([ofLink]), 900)
      for (let count = 0; count < 10; count++) await limiter.giveBack([ofLink])
      for (let count = 0; count < 3; count++) assert.equal(await limiter.take([ofLink]), undefined)
      assert.equal(await limiter.take([ofLink]), 900)
      clock.advance(900)
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
    inWorld(async ({ clock, open }) => {
      const limiter = await open()
      assert.equal(await limiter.take([{ ...ofBytes, weight: 40 * GIBIBYTE }]), undefined)
      clock.advance(600)
      assert.equal(await limiter.take([{ ...ofBytes, weight: 24 * GIBIBYTE + 1 }]), 3000)
      assert.equal(await limiter.take([{ ...ofBytes, weight: 24 * GIBIBYTE - 1 }]), undefined)
      assert.equal(await limiter.take([ofBytes]), undefined)
      assert.equal(await limiter.take([ofBytes]), 3000)
      clock.advance(3000)
      assert.equal(await limiter.take([{ ...ofBytes, weight: 64 * GIBIBYTE }]), undefined)
      await limiter.close()
    }),
  )

  it(
    'admits an attempt that is heavier than the limit only to an empty window, which is then full',
    inWorld(async ({ clock, open }) => {
      const limiter = await open()
      const heavy = { ...ofBytes, weight: 1024 * GIBIBYTE }
      await limiter.take([ofBytes])
      assert.equal(await limiter.take([heavy]), 3600)
      clock.advance(3600)
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
    'does not prolong a window when the clock is set back',
    inWorld(async ({ clock, open }) => {
      const limiter = await open()
      const one = { ...ofLink, max: 1 }
      await limiter.take([one])
      clock.advance(-86_400 * 365)
      assert.equal(await limiter.take([one]), 900)
      clock.advance(900)
      assert.equal(await limiter.take([one]), undefined)
      await limiter.close()
    }),
  )
})

describe('the file of counts', () => {
  it(
    'keeps counts and windows across a restart',
    inWorld(async ({ clock, open, warnings }) => {
      const before = await open()
      for (let count = 0; count < 2; count++) await before.take([ofLink])
      await before.close()
      clock.advance(100)
      const after = await open()
      assert.equal(await after.take([ofLink]), undefined)
      assert.equal(await after.take([ofLink]), 800)
      clock.advance(800)
      assert.equal(await after.take([ofLink]), undefined)
      await after.close()
      assert.deepEqual(warnings, [])
    }),
  )

  it(
    'keeps weights across a restart',
    inWorld(async ({ open, warnings }) => {
      const before = await open()
      await before.take([{ ...ofBytes, weight: 63 * GIBIBYTE }])
      await before.close()
      const after = await open()
      assert.equal(await after.take([{ ...ofBytes, weight: GIBIBYTE + 1 }]), 3600)
      assert.equal(await after.take([{ ...ofBytes, weight: GIBIBYTE }]), undefined)
      await after.close()
      assert.deepEqual(warnings, [])
    }),
  )

  it(
    'has no readable keys, nothing that others can recompute, and is readable by its owner only',
    inWorld(async ({ open, path, directory }) => {
      const limiter = await open()
      await limiter.take([ofLink, { ...ofLink, rule: 'source', key: '203.0.113.7' }])
      await limiter.close()
      const file = readFileSync(path)
      for (const text of [ofLink.rule, ofLink.key, 'no client may learn', '203.0.113.7', 'source'])
        assert.equal(file.indexOf(text), -1)
      assert.equal(statSync(path).mode & 0o777, 0o600)
      assert.deepEqual(readdirSync(directory), ['limits'])

      const otherwise = await open(randomBytes(32))
      await otherwise.take([ofLink, { ...ofLink, rule: 'source', key: '203.0.113.7' }])
      await otherwise.close()
      // Counts and windows are the same; the ids, 16 bytes at the start of each record, all differ.
      const ids = [file, readFileSync(path)].flatMap((each) =>
        [40, 72].map((start) => each.toString('hex', start, start + 16)),
      )
      assert.equal(new Set(ids).size, 4)
    }),
  )

  it(
    'is discarded with a warning if any byte is altered, or it is truncated or empty',
    inWorld(async ({ open, path, warnings }) => {
      const first = await open()
      for (let count = 0; count < 3; count++) await first.take([ofLink])
      await first.close()
      const good = readFileSync(path)
      const altered = Array.from(good.keys(), (index) => good.map((byte, at) => (at === index ? byte ^ 1 : byte)))
      const broken = [
        ...altered,
        good.subarray(1),
        good.subarray(0, -1),
        Buffer.alloc(0),
        Buffer.concat([good, good.subarray(-32)]),
      ]
      for (const bytes of broken) {
        writeFileSync(path, bytes)
        const limiter = await open()
        assert.equal(await limiter.take([ofLink]), undefined)
        await limiter.close()
      }
      assert.equal(warnings.length, broken.length)
      writeFileSync(path, good)
      assert.equal(await (await open()).take([ofLink]), 900)
    }),
  )

  it(
    'can fail to be written: counting continues, with one warning',
    inWorld(async ({ open, path, warnings }) => {
      const limiter = await open()
      mkdirSync(`${path}.new`)
      for (let count = 0; count < 3; count++) await limiter.take([ofLink])
      await limiter.close()
      await limiter.close()
      assert.equal(warnings.length, 1)
      assert.equal(await limiter.take([ofLink]), 900)
    }),
  )

  it('is written every few seconds, before the limiter is closed', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] })
    await inWorld(async ({ open, path }) => {
      const limiter = await open()
      await limiter.take([ofLink])
      assert.equal(existsSync(path), false)
      context.mock.timers.tick(5000)
      for (let turn = 0; turn < 100_000 && !existsSync(path); turn++) await new Promise(setImmediate)
      assert.equal(existsSync(path), true)
      await limiter.close()
    })()
  })
})
