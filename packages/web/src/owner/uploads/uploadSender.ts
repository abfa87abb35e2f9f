/** Sends the waiting uploads of the queue, a few at once. */
import { isTransient, ProblemError, SendError, sendTroubleOf } from '@blindkeep/client/errors'
import type { UploadProgress } from '@blindkeep/client/owner'
import type { Entry, UploadEntries } from './uploadEntries.ts'
import { OtherFile, type UploadItem, type UploadPorts } from './uploadItem.ts'
import { discard, remember } from './uploadRecords.ts'

/** More would share the same connection, and each must be hashed first. */
const MAX_AT_ONCE = 2
/** The client itself has already retried what it had begun to send, for minutes. */
const BACK_OFF_MS = 30_000

interface UploadSender<File> {
  /** Starts waiting uploads, up to the number that runs at once. */
  sendMore(): void
  stop(entry: Entry<File>): void
}

export function createUploadSender<File>(ports: UploadPorts<File>, entries: UploadEntries<File>): UploadSender<File> {
  function sendMore(): void {
    for (const entry of entries.all()) {
      const running = entries.all().filter(({ running }) => running !== undefined).length
      if (running >= MAX_AT_ONCE) return
      const { item, running: run, resting } = entry
      if (item.phase === 'waiting' && run === undefined && resting === undefined) entry.run = send(entry)
    }
  }

  async function send(entry: Entry<File>): Promise<void> {
    const { file } = entry
    if (file === undefined) throw new Error('a waiting upload has its file')
    const controller = new AbortController()
    entry.running = controller
    const isReadFirst = entry.state === undefined || entry.isUncompared
    entries.change(entry, { phase: isReadFirst ? 'preparing' : 'sending', share: 0, error: undefined })
    try {
      if (entry.isUncompared) await compareFile(entry, file, controller.signal)
      await sendFile(entry, file, controller.signal)
      await ports.release(file)
      // The owner may have cancelled while the last byte was accepted: too late, the asset exists.
      entries.change(entry, { phase: 'done', share: 1, isRetrying: false })
      await ports.forget(entry.item.id)
    } catch (error) {
      if (!controller.signal.aborted) await fail(entry, error)
    } finally {
      entry.running = undefined
      sendMore()
    }
  }

  async function compareFile(entry: Entry<File>, file: File, signal: AbortSignal): Promise<void> {
    const { state } = entry
    if (state === undefined) throw new Error('an upload that was begun has its state')
    await ports.compare({
      file,
      state,
      signal,
      onStep: (step) => signal.aborted || entries.change(entry, stepOf(step)),
    })
    entry.isUncompared = false
    entries.change(entry, { phase: 'sending', share: 0 })
  }

  async function sendFile(entry: Entry<File>, file: File, signal: AbortSignal): Promise<void> {
    await ports.send({
      file,
      albumId: entry.item.albumId,
      state: entry.state,
      signal,
      onState: async (state) => {
        entry.state = state
        entries.change(entry, {})
        if (!signal.aborted) await remember(ports, [entry])
      },
      onStep: (step) => signal.aborted || entries.change(entry, stepOf(step)),
    })
  }

  async function fail(entry: Entry<File>, error: unknown): Promise<void> {
    // The file that was begun may still exist, so its state stays.
    if (entry.isUncompared && error instanceof SendError && error.reason === 'file_changed') {
      entry.file = undefined
      entry.isUncompared = false
      return entries.change(entry, { phase: 'file_missing', error: new OtherFile() })
    }
    if (canEndByItself(error)) return void rest(entry, error)
    // The state can't be used again: the file must be sealed with another key.
    const isStateOver = error instanceof SendError && error.remedy === 'prepare_again'
    const ended = isStateOver && Promise.all([discard(ports, entry, ports.cancel), remember(ports, [entry])])
    entries.change(entry, { phase: 'failed', error, isRetrying: false })
    await ended
  }

  async function rest(entry: Entry<File>, error: unknown): Promise<void> {
    const resting = new AbortController()
    entry.resting = resting
    entries.change(entry, { phase: 'waiting', isRetrying: true, trouble: sendTroubleOf(causeOf(error)) })
    await ports.wait(pauseMsAfter(error), resting.signal).catch(() => undefined)
    entry.resting = undefined
    sendMore()
  }

  return { sendMore, stop }
}

function stop<File>({ running, resting }: Entry<File>): void {
  running?.abort(new DOMException('paused', 'AbortError'))
  resting?.abort()
}

/** The line or the server is away: a later try may succeed. */
function canEndByItself(error: unknown): boolean {
  return error instanceof SendError
    ? error.reason === 'server_unavailable' || error.reason === 'server_full'
    : isTransient(error)
}

function causeOf(error: unknown): unknown {
  return error instanceof SendError ? error.cause : error
}

function pauseMsAfter(error: unknown): number {
  const cause = causeOf(error)
  const retryAfterSeconds = cause instanceof ProblemError ? (cause.retryAfterSeconds ?? 0) : 0
  return Math.max(BACK_OFF_MS, retryAfterSeconds * 1000)
}

function stepOf({
  phase,
  bytes,
  of,
  waitingMs,
  trouble,
}: UploadProgress): Pick<UploadItem, 'phase' | 'share' | 'isRetrying' | 'trouble'> {
  return {
    phase: phase === 'complete' ? 'finishing' : phase,
    share: of === 0 ? 0 : bytes / of,
    isRetrying: waitingMs !== undefined || trouble !== undefined,
    trouble,
  }
}
