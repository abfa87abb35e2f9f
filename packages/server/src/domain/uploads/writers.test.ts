import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseUploadId } from '@blindkeep/protocol/ids'
import { createGate } from '../../testing/faults.ts'
import { never } from '../../testing/guest.ts'
import { defined } from '../../testing/world.ts'
import { createWriters, type Writer } from './writers.ts'

const one = defined(parseUploadId('00000000-0000-4000-8000-000000000001'))
const other = defined(parseUploadId('00000000-0000-4000-8000-000000000002'))

/** Resolves when the writer is stopped, like a writer that waits for bytes. */
const untilStopped = ({ signal }: Writer) =>
  new Promise<string>((resolve) => {
    if (signal.aborted) resolve('stopped')
    else signal.addEventListener('abort', () => resolve('stopped'), { once: true })
  })

describe('the writers of a session', () => {
  it('write one at a time, also when nine requests arrive at once', async () => {
    const writers = createWriters()
    let writing = 0
    let maxWriting = 0
    const work = async (writer: Writer) => {
      writing += 1
      maxWriting = Math.max(maxWriting, writing)
      await untilStopped(writer)
      writing -= 1
    }
    const older = Array.from({ length: 8 }, () => writers.take(one, never, work))
    const newest = writers.take(one, never, async (writer) => {
      writing += 1
      maxWriting = Math.max(maxWriting, writing)
      writing -= 1
      return writer.hasAllBytes()
    })
    assert.equal(await newest, true)
    await Promise.all(older)
    assert.equal(maxWriting, 1)
    assert.equal(writers.isWriting(one), false)
  })

  it('give way to the newest, which starts only when they have ended', async () => {
    const writers = createWriters()
    const ended = createGate()
    const order: string[] = []
    const older = writers.take(one, never, async (writer) => {
      await untilStopped(writer)
      await ended.passed
      order.push('older has ended')
      return writer.isStopped() && !writer.hasAllBytes()
    })
    const newer = writers.take(one, never, async () => order.push('newer starts'))
    await new Promise(setImmediate)
    assert.deepEqual(order, [])
    ended.open()
    assert.equal(await older, true)
    await newer
    assert.deepEqual(order, ['older has ended', 'newer starts'])
  })

  it('make a newer one wait once they have all their bytes', async () => {
    const writers = createWriters()
    const recorded = createGate()
    const older = writers.take(one, never, async (writer) => {
      assert.equal(writer.hasAllBytes(), true)
      await recorded.passed
      return { isStopped: writer.isStopped(), isAborted: writer.signal.aborted }
    })
    const newer = writers.take(one, never, async () => 'newer')
    await new Promise(setImmediate)
    recorded.open()
    assert.deepEqual(await older, { isStopped: false, isAborted: false })
    assert.equal(await newer, 'newer')
  })

  it('let the next one write when they fail', async () => {
    const writers = createWriters()
    await assert.rejects(
      writers.take(one, never, () => Promise.reject(new Error('broken'))),
      /broken/,
    )
    assert.equal(writers.isWriting(one), false)
    assert.equal(await writers.take(one, never, async () => 'next'), 'next')
  })

  it('of different sessions do not stop each other', async () => {
    const writers = createWriters()
    const gate = createGate()
    const first = writers.take(one, never, () => gate.passed)
    await writers.take(other, never, async (writer) => assert.equal(writer.isStopped(), false))
    assert.equal(writers.isWriting(one), true)
    gate.open()
    await first
  })

  it('are stopped and awaited when the session ends', async () => {
    const writers = createWriters()
    let hasEnded = false
    const writing = writers.take(one, never, async (writer) => {
      await untilStopped(writer)
      hasEnded = true
    })
    await writers.stop(one)
    assert.equal(hasEnded, true)
    await writing
    await writers.stop(other)
  })

  it('abort with their request, and do not count as stopped then', async () => {
    const writers = createWriters()
    const request = new AbortController()
    const writing = writers.take(one, request.signal, async (writer) => {
      request.abort(new Error('the client has disconnected'))
      return { isStopped: writer.isStopped(), reason: String(writer.signal.reason) }
    })
    assert.deepEqual(await writing, { isStopped: false, reason: 'Error: the client has disconnected' })
  })
})
