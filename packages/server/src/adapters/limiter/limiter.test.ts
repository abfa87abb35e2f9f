import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { until } from '../../../../../testing/until.ts'
import { limiterContract, ofLink } from '../../contracts/limiter.ts'
import { createHandClock } from '../../testing/handClock.ts'
import { openLimiter } from './limiter.ts'

interface World {
  readonly path: string
  readonly directory: string
  readonly warnings: string[]
  advance(seconds: number): Promise<void>
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
      await work({ advance: async (seconds) => clock.advance(seconds), path, directory, warnings, open })
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
}

limiterContract('the limiter in memory', inWorld)

describe('the clock of the limiter in memory', () => {
  it(
    'does not prolong a window when the clock is set back',
    inWorld(async ({ advance, open }) => {
      const limiter = await open()
      const one = { ...ofLink, max: 1 }
      await limiter.take([one])
      await advance(-86_400 * 365)
      assert.equal(await limiter.take([one]), 900)
      await advance(900)
      assert.equal(await limiter.take([one]), undefined)
      await limiter.close()
    }),
  )
})

describe('the file of counts', () => {
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
      await until(() => existsSync(path))
      await limiter.close()
    })()
  })
})
