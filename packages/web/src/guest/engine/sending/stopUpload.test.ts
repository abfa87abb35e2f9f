import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemEnvironment } from '@blindkeep/client/environment'
import { NetworkError, ProblemError, SendError } from '@blindkeep/client/errors'
import { createEntries } from '../entries/entries.ts'
import { createPassphrase } from '../link/passphrase.ts'
import { createStopUpload } from './stopUpload.ts'
import { CANCELLED, PAUSED } from './uploadJobs.ts'

/** A file that is being sent; its back-off ends when the test says so. */
function createWorld() {
  const entries = createEntries(() => undefined)
  const file = { id: 'file', name: 'a', folder: '', size: 1, lastModified: 0, totalBytes: 1 }
  entries.add({ ...file, phase: 'sending', inFlightBytes: 1, isRetrying: true })
  const waits: { readonly ms: number; readonly end: () => void }[] = []
  const wait = (ms: number) => new Promise<void>((end) => waits.push({ ms, end }))
  const calls: string[] = []
  const stop = createStopUpload({
    entries,
    environment: { ...systemEnvironment, wait },
    passphrase: createPassphrase(() => undefined),
    onLinkChanged: () => calls.push('link'),
    onBackedOff: () => calls.push('backed off'),
  })
  const entry = () => entries.get('file') ?? assert.fail()
  return { stop: (error: unknown) => stop('file', error), entry, waits, calls }
}

describe('a stopped upload', () => {
  it('becomes paused, or keeps its phase until its cancellation ends', () => {
    const { stop, entry } = createWorld()
    stop(CANCELLED)
    assert.equal(entry().phase, 'sending')
    stop(PAUSED)
    assert.deepEqual([entry().phase, entry().inFlightBytes, entry().isRetrying], ['paused', 1, false])
  })

  it('backs off for a minute after a lost connection, and for as long as a busy server asks', async () => {
    const { stop, entry, waits, calls } = createWorld()
    stop(new SendError('server_unavailable', new NetworkError('unreachable')))
    assert.deepEqual([entry().phase, entry().failure, entry().isBackingOff], ['waiting', 'no_connection', true])
    assert.equal(waits[0]?.ms, 60_000)
    waits[0]?.end()
    await new Promise(setImmediate)
    assert.deepEqual([entry().isBackingOff, calls], [false, ['backed off']])
    const facts = { operation: 'createDrop', status: 429, code: 'error.drop.rate_limited' } as const
    stop(new SendError('server_unavailable', new ProblemError({ ...facts, retryAfterSeconds: 90 })))
    assert.deepEqual([entry().failure, waits[1]?.ms], ['busy', 90_000])
    const waitsMs = Number(entry().triesAt) - Number(systemEnvironment.now())
    assert.ok(waitsMs > 60_000 && waitsMs <= 90_000, 'the page says when it tries again')
    waits[1]?.end()
    await new Promise(setImmediate)
    assert.equal(entry().triesAt, undefined)
  })

  it('remembers since when its tries have failed', () => {
    const { stop, entry } = createWorld()
    stop(new SendError('server_unavailable', new NetworkError('unreachable')))
    const since = entry().troubledSince
    assert.ok(since !== undefined)
    const facts = { operation: 'createDrop', status: 500, code: 'error.storage.unavailable' } as const
    stop(new SendError('server_unavailable', new ProblemError(facts)))
    assert.deepEqual([entry().failure, entry().isRetrying, entry().troubledSince], ['storage_unavailable', true, since])
    stop(new SendError('owner_full'))
    assert.deepEqual(
      [entry().phase, entry().failure, entry().isRetrying, entry().troubledSince],
      ['failed', 'owner_full', false, undefined],
    )
  })

  it('restarts by itself when the server does not know its session, but only once', () => {
    const { stop, entry } = createWorld()
    stop(new SendError('session_unknown'))
    assert.deepEqual([entry().phase, entry().failure], ['waiting', undefined])
    stop(new SendError('session_unknown'))
    assert.deepEqual([entry().phase, entry().failure], ['failed', 'damaged_on_the_way'])
  })

  it('reports that the link has changed when the link is full', () => {
    const { stop, entry, calls } = createWorld()
    stop(new SendError('link_full'))
    assert.deepEqual([entry().failure, calls], ['link_full', ['link']])
  })

  it('fails as unreadable when the file changes before it is sealed', () => {
    const { stop, entry } = createWorld()
    stop(new SendError('file_changed'))
    assert.equal(entry().failure, 'unreadable')
  })
})
