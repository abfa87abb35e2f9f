import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkError, SendError } from '@blindkeep/client/errors'
import { parseUploadState, type UploadState } from '@blindkeep/client/owner'
import { parseAlbumId } from '@blindkeep/protocol/ids'
import {
  type ChosenFile,
  isActive,
  OtherFile,
  type StoredUpload,
  type UploadItem,
  type UploadJob,
} from './uploadItem.ts'
import { createUploadQueue } from './uploadQueue.ts'

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const album = parseAlbumId(uuid(9))

function stateOf(digit: number): UploadState {
  const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64')
  return parseUploadState({
    version: 1,
    baseUrl: 'https://keep.example',
    envelope: {
      crypto_suite_id: 1,
      protocol_version: '2026-11-01',
      album_id: uuid(9),
      file_id: uuid(digit),
      amk_version: 1,
      ciphertext_hash: '0'.repeat(64),
      plaintext_size: 1,
      chunk_size: 1_048_560,
      key_mode: 'derived',
      created_by_user: uuid(8),
      created_by_device: uuid(7),
      client_version: 'test',
      timestamp: '2026-01-01T00:00:00.000Z',
      action: 'create',
    },
    original: { size: 1, salt: base64(16), header: { size: 1 }, tags: base64(32) },
    metadata: { bytes: base64(10) },
    provenance: { bytes: base64(10) },
  })
}

const fileOf = (name: string, size = 100): ChosenFile => ({ name, size, lastModified: 0 })
const storedOf = (name: string, state?: UploadState): StoredUpload => {
  assert.ok(album)
  return { id: `stored-${name}`, albumId: album, name, size: 100, lastModified: 0, state }
}
/** Without what only the page needs. */
const factsOf = ({ id, albumId, name, size, lastModified, state }: StoredUpload): StoredUpload => ({
  ...{ id, albumId, name, size, lastModified, state },
})
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A queue whose uploads end when the test says so. */
function createWorld() {
  const jobs = new Map<string, { readonly job: UploadJob<ChosenFile>; readonly end: PromiseWithResolvers<void> }>()
  const started: string[] = []
  const stored: StoredUpload[] = []
  const forgotten: string[] = []
  const released: string[] = []
  const cancelled: string[] = []
  const deleted: string[] = []
  /** Ends the waits before another try. */
  const waits: PromiseWithResolvers<void>[] = []
  let lastId = 0
  /** Ends the comparison of a file that was chosen again. */
  const compared = new Map<string, PromiseWithResolvers<void>>()
  const queue = createUploadQueue<ChosenFile>({
    send(job) {
      const end = Promise.withResolvers<void>()
      jobs.set(job.file.name, { job, end })
      started.push(job.file.name)
      job.signal.addEventListener('abort', () => end.reject(job.signal.reason))
      return end.promise
    },
    async compare({ file, signal }) {
      const end = Promise.withResolvers<void>()
      compared.set(file.name, end)
      signal.addEventListener('abort', () => end.reject(signal.reason))
      await end.promise
    },
    store: async (uploads) => void stored.push(...uploads.map(factsOf)),
    isKept: ({ name }) => name.startsWith('kept'),
    newId: () => `upload-${++lastId}`,
    wait(_, signal) {
      const wait = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => wait.reject(signal.reason))
      waits.push(wait)
      return wait.promise
    },
    release: async ({ name }) => void released.push(name),
    forget: async (id) => void forgotten.push(id),
    cancel: async ({ envelope }) => void cancelled.push(envelope.file_id),
    delete: async ({ envelope }) => void deleted.push(envelope.file_id),
  })
  const add = (...names: readonly string[]) => {
    assert.ok(album)
    queue.add(
      names.map((name) => fileOf(name)),
      album,
    )
  }
  const job = (name: string) => {
    const found = jobs.get(name)
    assert.ok(found, `${name} is not running`)
    return found
  }
  const item = (name: string): UploadItem => {
    const found = queue.items().find((one) => one.name === name)
    assert.ok(found, `${name} is not in the list`)
    return found
  }
  return { queue, add, job, item, started, stored, forgotten, released, cancelled, deleted, compared, waits }
}

describe('the upload queue', () => {
  it('sends two at once, and the next when one is done', async () => {
    const { add, job, item, started } = createWorld()
    add('a', 'b', 'c')
    assert.deepEqual(started, ['a', 'b'])
    assert.equal(item('c').phase, 'waiting')
    job('a').end.resolve()
    await turn()
    assert.equal(item('a').phase, 'done')
    assert.deepEqual(started, ['a', 'b', 'c'])
  })

  it('reports the progress of each, and that the connection is lost', () => {
    const { add, job, item } = createWorld()
    add('a')
    assert.equal(item('a').phase, 'preparing')
    job('a').job.onStep({ phase: 'sending', bytes: 25, of: 100, waitingMs: 500 })
    const { phase, share, isRetrying } = item('a')
    assert.deepEqual({ phase, share, isRetrying }, { phase: 'sending', share: 0.25, isRetrying: true })
    job('a').job.onStep({ phase: 'complete', bytes: 100, of: 100 })
    assert.equal(item('a').phase, 'finishing')
    assert.ok(isActive(item('a')))
  })

  it('stores what a new page needs while a file is uploaded, and deletes it afterwards', async () => {
    const { add, job, item, stored, forgotten } = createWorld()
    add('a')
    await job('a').job.onState(stateOf(1))
    const facts = { id: 'upload-1', albumId: album, name: 'a', size: 100, lastModified: 0 }
    assert.deepEqual(stored, [
      { ...facts, state: undefined },
      { ...facts, state: stateOf(1) },
    ])
    assert.deepEqual(forgotten, [])
    job('a').end.resolve()
    await turn()
    assert.equal(item('a').assetId, uuid(1))
    assert.deepEqual(forgotten, ['upload-1'])
  })

  it('pauses, starts the next one meanwhile, and resumes from the same state', async () => {
    const { queue, add, job, item, started } = createWorld()
    add('a', 'b', 'c')
    await job('a').job.onState(stateOf(1))
    queue.pause(item('a').id)
    assert.equal(item('a').phase, 'paused')
    await turn()
    assert.deepEqual(started, ['a', 'b', 'c'])
    job('b').end.resolve()
    await turn()
    queue.resume(item('a').id)
    assert.deepEqual(job('a').job.state, stateOf(1))
    assert.equal(item('a').phase, 'sending')
  })

  it('resumes only when the paused run has ended', async () => {
    const { queue, add, item, started } = createWorld()
    add('a')
    queue.pause(item('a').id)
    queue.resume(item('a').id)
    assert.deepEqual(started, ['a'])
    await turn()
    assert.deepEqual(started, ['a', 'a'])
    assert.equal(item('a').phase, 'preparing')
  })

  it('shows why one has failed, retries it from its state, and continues with the others', async () => {
    const { queue, add, job, item, cancelled } = createWorld()
    add('a', 'b', 'c')
    await job('a').job.onState(stateOf(1))
    const error = new SendError('storage_full')
    job('a').end.reject(error)
    await turn()
    assert.deepEqual([item('a').phase, item('a').error, item('c').phase], ['failed', error, 'preparing'])
    job('b').end.resolve()
    await turn()
    queue.resume(item('a').id)
    assert.equal(item('a').error, undefined)
    assert.deepEqual(job('a').job.state, stateOf(1))
    assert.deepEqual(cancelled, [])
  })

  it('restarts with a changed file, and ends the old upload without deleting an asset', async () => {
    const { queue, add, job, item, cancelled, deleted, stored } = createWorld()
    add('a')
    await job('a').job.onState(stateOf(1))
    job('a').end.reject(new SendError('file_changed'))
    await turn()
    assert.deepEqual([cancelled, deleted, stored.at(-1)?.state], [[uuid(1)], [], undefined])
    assert.deepEqual([item('a').phase, item('a').assetId], ['failed', undefined], 'nothing here finishes the old asset')
    queue.resume(item('a').id)
    assert.equal(job('a').job.state, undefined)
  })

  it('removes a cancelled upload from the list at once, and deletes it from the server when it has stopped', async () => {
    const { queue, add, job, item, deleted, forgotten, stored } = createWorld()
    add('a')
    const { job: running } = job('a')
    await running.onState(stateOf(1))
    queue.cancel(item('a').id)
    assert.deepEqual([queue.items(), deleted], [[], []])
    await running.onState(stateOf(1))
    assert.equal(stored.length, 2, 'a cancelled upload is not stored again')
    await turn()
    assert.deepEqual([deleted, forgotten], [[uuid(1)], ['upload-1']])
  })

  it('releases a file when the server has it, or when its upload is cancelled, not when it fails', async () => {
    const { queue, add, job, item, released } = createWorld()
    add('a', 'b', 'c')
    job('a').end.reject(new Error('unreadable'))
    await turn()
    assert.deepEqual(released, [], 'a failed upload keeps its file')
    job('b').end.resolve()
    await turn()
    assert.deepEqual(released, ['b'])
    queue.cancel(item('c').id)
    queue.cancel(item('a').id)
    await turn()
    assert.deepEqual(released, ['b', 'a', 'c'])
    queue.clearDone()
    await turn()
    assert.equal(released.length, 3)
  })

  it('removes finished uploads from the list, and leaves them on the server', async () => {
    const { queue, add, job, item, cancelled, deleted } = createWorld()
    add('a', 'b', 'c')
    for (const name of ['a', 'b']) {
      await job(name).job.onState(stateOf(name === 'a' ? 1 : 2))
      job(name).end.resolve()
    }
    await turn()
    queue.cancel(item('a').id)
    queue.clearDone()
    await turn()
    assert.deepEqual(
      queue.items().map(({ name }) => name),
      ['c'],
    )
    assert.deepEqual([cancelled, deleted], [[], []])
  })

  it('asks for the file again after a reload, and accepts no other file', async () => {
    const { queue, job, item, started, compared } = createWorld()
    assert.ok(album)
    queue.restore([storedOf('a', stateOf(1))])
    assert.equal(item('a').phase, 'file_missing')
    assert.ok(!isActive(item('a')))
    queue.giveFile(item('a').id, fileOf('a', 101))
    assert.ok(item('a').error instanceof OtherFile)
    queue.giveFile(item('a').id, fileOf('a'))
    assert.deepEqual([item('a').phase, item('a').error, started], ['preparing', undefined, []])
    compared.get('a')?.resolve()
    await turn()
    assert.deepEqual(job('a').job.state, stateOf(1))
    assert.equal(item('a').error, undefined)
  })

  it('stores every file from the moment it waits until it is done or cancelled, unless the browser keeps the file itself', async () => {
    const { queue, add, job, item, stored, forgotten } = createWorld()
    add('a', 'b', 'c', 'kept')
    assert.deepEqual(
      stored.map(({ name, state }) => [name, state]),
      ['a', 'b', 'c'].map((name) => [name, undefined]),
    )
    queue.cancel(item('c').id)
    job('a').end.resolve()
    await turn()
    assert.deepEqual(forgotten.toSorted(), ['upload-1', 'upload-3'])
  })

  it('asks for all files after a reload, and takes those that are chosen together or added again', async () => {
    const { queue, add, item, started } = createWorld()
    assert.ok(album)
    queue.restore(['a', 'b', 'c', 'd'].map((name) => storedOf(name)))
    queue.restore([storedOf('a')])
    assert.equal(queue.items().length, 4, 'what is here already is not added twice')
    queue.giveFiles(item('a').id, [fileOf('b'), fileOf('a'), fileOf('stranger')])
    assert.deepEqual(started, ['b', 'a'])
    add('c', 'e')
    queue.add([{ ...fileOf('d'), lastModified: 1 }], album)
    const phases = queue.items().map(({ name, phase }) => `${name} ${phase}`)
    const waiting = ['c waiting', 'd file_missing', 'e waiting', 'd waiting']
    assert.deepEqual(phases, ['a preparing', 'b preparing', ...waiting])
    queue.giveFiles(item('d').id, [fileOf('stranger')])
    assert.ok(item('d').error instanceof OtherFile)
  })

  it('goes on by itself when the server is back, and when the connection is, and sends others meanwhile', async () => {
    const { queue, add, job, item, started, waits } = createWorld()
    const trouble = [new SendError('server_unavailable'), new NetworkError('unreachable')]
    add('a', 'b', 'c')
    job('a').end.reject(trouble[0])
    await turn()
    const { phase, isRetrying, error } = item('a')
    assert.deepEqual([phase, isRetrying, error, isActive(item('a'))], ['waiting', true, undefined, true])
    assert.deepEqual(started, ['a', 'b', 'c'])
    job('b').end.resolve()
    waits[0]?.resolve()
    await turn()
    assert.deepEqual(started, ['a', 'b', 'c', 'a'])
    job('a').end.reject(trouble[1])
    await turn()
    queue.wake()
    await turn()
    assert.deepEqual(started, ['a', 'b', 'c', 'a', 'a'])
    job('a').end.resolve()
    await turn()
    assert.deepEqual([item('a').phase, item('a').isRetrying], ['done', false])
  })

  it('does not go on by itself with what was paused while it waited for the server', async () => {
    const { queue, add, job, item, started } = createWorld()
    add('a')
    job('a').end.reject(new SendError('server_unavailable'))
    await turn()
    queue.pause(item('a').id)
    await turn()
    assert.deepEqual([item('a').phase, started], ['paused', ['a']])
    queue.resume(item('a').id)
    assert.deepEqual(started, ['a', 'a'])
  })

  it('sends nothing of another file of the same size, and keeps the upload for the right one', async () => {
    const { queue, job, item, started, compared, forgotten, cancelled } = createWorld()
    assert.ok(album)
    queue.restore([storedOf('a', stateOf(1))])
    queue.giveFile(item('a').id, fileOf('other'))
    compared.get('other')?.reject(new SendError('file_changed'))
    await turn()
    assert.equal(item('a').phase, 'file_missing')
    assert.ok(item('a').error instanceof OtherFile)
    assert.deepEqual([started, forgotten, cancelled], [[], [], []])
    queue.giveFile(item('a').id, fileOf('a'))
    compared.get('a')?.resolve()
    await turn()
    assert.deepEqual(job('a').job.state, stateOf(1))
  })

  it('compares a file again when the comparison was paused, and only then sends it', async () => {
    const { queue, item, started, compared } = createWorld()
    assert.ok(album)
    queue.restore([storedOf('a', stateOf(1))])
    queue.giveFile(item('a').id, fileOf('a'))
    queue.pause(item('a').id)
    await turn()
    compared.clear()
    queue.resume(item('a').id)
    assert.deepEqual([started, compared.size], [[], 1])
    compared.get('a')?.resolve()
    await turn()
    assert.deepEqual(started, ['a'])
  })

  it('ends when the owner leaves: nothing is running, stored, forgotten or cancelled from then on', async () => {
    const { queue, add, job, started, stored, forgotten, cancelled } = createWorld()
    add('a', 'b', 'c')
    const { job: running } = job('a')
    queue.end()
    assert.ok(running.signal.aborted)
    await running.onState(stateOf(1))
    await turn()
    assert.deepEqual([queue.items(), started, stored.length, forgotten, cancelled], [[], ['a', 'b'], 3, [], []])
  })

  it('notifies listeners of every change, until they unsubscribe', () => {
    const { queue, add, item } = createWorld()
    let calls = 0
    const stop = queue.subscribe(() => {
      calls++
    })
    add('a')
    const before = calls
    queue.pause(item('a').id)
    assert.ok(before > 0 && calls > before)
    stop()
    queue.resume(item('a').id)
    assert.equal(calls, before + 1)
  })
})
