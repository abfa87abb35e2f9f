/** Sends what waits in the queue of uploads: some at once, the rest in line. */
import { SendError } from '@blindkeep/client/errors'
import { assetIdOf, type Entry, type UploadEntries } from './uploadEntries.ts'
import type { UploadItem, UploadPorts, UploadStep } from './uploadQueue.ts'

/** More would share the same line, and each has to be hashed first. */
const AT_ONCE = 2

export interface UploadSender<File> {
  /** Begins what waits, as far as there is room. */
  sendMore(): void
  stop(entry: Entry<File>): void
  /** Forgets what was begun, here and on the server. That it may not be reached is no matter: what nobody goes on with runs out there. */
  end(entry: Entry<File>): Promise<void>
}

export function createUploadSender<File>(ports: UploadPorts<File>, entries: UploadEntries<File>): UploadSender<File> {
  function sendMore(): void {
    for (const entry of entries.all()) {
      const underWay = entries.all().filter(({ running }) => running !== undefined).length
      if (underWay >= AT_ONCE) return
      if (entry.item.phase === 'waiting' && entry.running === undefined) entry.run = send(entry)
    }
  }

  async function send(entry: Entry<File>): Promise<void> {
    const { file } = entry
    if (file === undefined) throw new Error('what waits has its file')
    const controller = new AbortController()
    entry.running = controller
    entries.change(entry, { phase: entry.state === undefined ? 'preparing' : 'sending', share: 0, error: undefined })
    try {
      await sendFile(entry, file, controller.signal)
      // Somebody may have cancelled in the very moment in which the last byte was taken: then it was too late, and it is there.
      entries.change(entry, { phase: 'done', share: 1, isWaitingForLine: false })
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
        if (!signal.aborted) await ports.keep({ albumId, name, size, state })
      },
      onStep: (step) => signal.aborted || entries.change(entry, stepOf(step)),
    })
  }

  async function fail(entry: Entry<File>, error: unknown): Promise<void> {
    entries.change(entry, { phase: 'failed', error, isWaitingForLine: false })
    // Its state is good for nothing any more: the file has to be sealed under another key.
    if (error instanceof SendError && error.remedy === 'prepare_again') await end(entry)
  }

  async function end(entry: Entry<File>): Promise<void> {
    const { state } = entry
    entry.state = undefined
    if (state === undefined) return
    await Promise.allSettled([ports.forget(state), ports.cancel(state)])
  }

  return { sendMore, end, stop: (entry) => entry.running?.abort(new DOMException('paused', 'AbortError')) }
}

function stepOf({ phase, bytes, of, waitingMs }: UploadStep): Partial<UploadItem> {
  return {
    phase: phase === 'complete' ? 'finishing' : phase,
    share: of === 0 ? 0 : bytes / of,
    isWaitingForLine: waitingMs !== undefined,
  }
}
