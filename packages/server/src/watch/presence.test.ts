import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../../../testing/until.ts'
import { openPresenceWatch, type PresenceWatch, SILENT_MS } from './presence.ts'

/** A store of bytes that answers each question when the test says so; the database answers at once. */
async function watched(work: (scene: Scene) => Promise<void>): Promise<void> {
  const questions: PromiseWithResolvers<number>[] = []
  let nowMs = 0
  const starting = openPresenceWatch({
    store: { ask: async () => assert.fail('the database is away') },
    disk: {
      check() {
        questions.push(Promise.withResolvers())
        return questions.at(-1)?.promise ?? Promise.reject(new Error('none'))
      },
    },
    elapsed: () => nowMs,
  })
  questions[0]?.resolve(5)
  const watch = await starting
  const looking = setInterval(() => {
    void watch.askDatabase()
    void watch.askBytes()
  }, 1)
  try {
    const asked = (count: number) => until(() => questions.length >= count)
    await work({ watch, questions, asked, pass: (ms) => (nowMs += ms) })
  } finally {
    clearInterval(looking)
  }
}

interface Scene {
  readonly watch: PresenceWatch
  readonly questions: readonly PromiseWithResolvers<number>[]
  /** Resolves when so many questions were asked. */
  readonly asked: (count: number) => Promise<void>
  readonly pass: (ms: number) => number
}

const bytesAway = ({ watch }: Scene) => watch.faults().includes('blobs')

describe('what the server knows of its database and its bytes without waiting', () => {
  it('is that they are slow, not away, while each answer comes in the end', () =>
    watched(async (scene) => {
      for (let count = 2; count < 6; count += 1) {
        await scene.asked(count)
        scene.pass(SILENT_MS)
        assert.equal(bytesAway(scene), false)
        scene.questions[count - 1]?.resolve(count)
        await until(() => scene.watch.freeBytes() === count)
      }
    }))

  it('is that they are away once they have been silent for longer, with one question under way, and there again with its answer', () =>
    watched(async (scene) => {
      await scene.asked(2)
      scene.pass(SILENT_MS + 1)
      assert.equal(bytesAway(scene), true)
      assert.equal(scene.watch.freeBytes(), undefined)
      assert.equal(scene.questions.length, 2)
      scene.questions[1]?.resolve(7)
      await until(() => !bytesAway(scene))
      assert.equal(scene.watch.freeBytes(), 7)
    }))

  it('is that they are away after two failures in a row, not after one', () =>
    watched(async (scene) => {
      await scene.asked(2)
      scene.questions[1]?.reject(new Error('once'))
      await scene.asked(3)
      assert.equal(bytesAway(scene), false)
      scene.questions[2]?.reject(new Error('twice'))
      await until(() => bytesAway(scene))
    }))

  it('is apart for the one and the other', () =>
    watched(async (scene) => {
      await until(() => scene.watch.faults().includes('store'))
      assert.deepEqual(scene.watch.faults(), ['store'])
    }))
})
