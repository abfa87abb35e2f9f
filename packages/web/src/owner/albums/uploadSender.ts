/** Sends the waiting uploads of the queue, a few at once. */
import { SendError } from '@blindkeep/client/errors'
import { assetIdOf, type Entry, type UploadEntries } from './uploadEntries.ts'
import type { UploadItem, UploadPorts, UploadStep } from './uploadItem.ts'

/** More would share the same connection, and each must be hashed first. */
const MAX_AT_ONCE = 2

interface UploadSender<File> {
  /** Starts waiting uploads, up to the number that runs at once. */
  sendMore(): void
  stop(entry: Entry<File>): void
  /** Deletes the upload, here and on the server. A server that can't be reached deletes it later by itself. */
  discard(entry: Entry<File>): Promise<void>
}

export function createUploadSender<File>(ports: UploadPorts<File>, entries: UploadEntries<File>): UploadSender<File> {
  function sendMore(): void {
    for (const entry of entries.all()) {
      const running = entries.all().filter(({ running }) => running !== undefined).length
      if (running >= MAX_AT_ONCE) return
      if (entry.item.phase === 'waiting' && entry.running === undefined) entry.run = send(entry)
    }
  }

  async function send(entry: Entry<File>): Promise<void> {
    const { file } = entry
    if (file === undefined) throw new Error('a waiting upload has its file')
    const controller = new AbortController()
    entry.running = controller
    entries.change(entry, { phase: entry.state === undefined ? 'preparing' : 'sending', share: 0, error: undefined })
    try {
      await sendFile(entry, file, controller.signal)
      // The owner may have cancelled while the last byte was accepted: too late, the asset exists.
      entries.change(entry, { phase: 'done', share: 1, isRetrying: false })
      if (entry.state !== undefined) await ports.forget(entry.state)
    } catch (error) {
      if (!controller.signal.aborted) await fail(entry, error)
    } finally {
      entry.running = undefined
      sendMore()
    }
  }

  async function sendFile(entry: Entry<File>, file: File, signal: AbortSignal): Promise<void> {
    const { albumId, name, size } = entry.item
    await ports.send({
      file,
      albumId,
      state: entry.state,
      signal,
      onState: async (state) => {
        entry.state = state
        entry.item = { ...entry.item, assetId: assetIdOf(state) }
        if (!signal.aborted) await ports.store({ albumId, name, size, state })
      },
      onStep: (step) => signal.aborted || entries.change(entry, stepOf(step)),
    })
  }

  async function fail(entry: Entry<File>, error: unknown): Promise<void> {
    entries.change(entry, { phase: 'failed', error, isRetrying: false })
    // The state can't be used again: the file must be sealed with another key.
    if (error instanceof SendError && error.remedy === 'prepare_again') await discard(entry)
  }

  async function discard(entry: Entry<File>): Promise<void> {
    const { state } = entry
    entry.state = undefined
    if (state === undefined) return
    await Promise.allSettled([ports.forget(state), ports.cancel(state)])
  }

  return { sendMore, discard, stop: (entry) => entry.running?.abort(new DOMException('paused', 'AbortError')) }
}

function stepOf({ phase, bytes, of, waitingMs }: UploadStep): Partial<UploadItem> {
  return {
    phase: phase === 'complete' ? 'finishing' : phase,
    share: of === 0 ? 0 : bytes / of,
    isRetrying: waitingMs !== undefined,
  }
}
