/**
 * At most one request of a process writes to an upload. The newest request wins, because the older connection is often
 * dead without the server knowing. But once the older request has all its bytes, the newer one waits for it. A stopped
 * writer has returned before the next one starts.
 */
import type { Instant, UploadId } from '@blindkeep/protocol/ids'
import type { Upload } from '../../ports/store.ts'

export interface Writer {
  /** Aborts for a newer request, the upload's end, or a disconnected client; never once all bytes are here. */
  readonly signal: AbortSignal
  /** Whether a newer request, or the end of the upload, stopped this writer. */
  isStopped(): boolean
  /** Says that all bytes have arrived: from now on this writer cannot be stopped. False when it already was. */
  hasAllBytes(): boolean
}

interface ActiveWriter {
  readonly stop: () => void
  readonly done: Promise<void>
}

/** Uploads that were touched last. Of others the answer is that they were touched. */
const MAX_REMEMBERED = 10_000

export type Writers = ReturnType<typeof createWriters>

/** Tells other processes that a request writes to an upload, until the returned function is called. */
export type MarkWriting = (uploadId: UploadId) => () => void

/** `markWriting` is absent where there are no other processes. */
export function createWriters(markWriting?: MarkWriting) {
  const active = new Map<UploadId, ActiveWriter>()

  /** What has happened to uploads here, in an order. */
  let moment = 0
  const touched = new Map<UploadId, number>()
  /** What was touched at or before this is forgotten. */
  let forgottenUntil = 0

  function touch(uploadId: UploadId): void {
    moment += 1
    touched.delete(uploadId)
    touched.set(uploadId, moment)
    const [oldest] = touched
    if (touched.size <= MAX_REMEMBERED || oldest === undefined) return
    touched.delete(oldest[0])
    forgottenUntil = oldest[1]
  }

  async function stop(uploadId: UploadId): Promise<void> {
    touch(uploadId)
    for (let writer = active.get(uploadId); writer !== undefined; writer = active.get(uploadId)) {
      writer.stop()
      await writer.done
    }
  }

  return {
    /** The present moment, for `isTouchedSince`. */
    now: (): number => moment,

    /** Whether a writer left, or was to stop, since then: what was read of the upload may have changed. */
    isTouchedSince: (uploadId: UploadId, since: number): boolean => (touched.get(uploadId) ?? forgottenUntil) > since,

    isWriting: (uploadId: UploadId): boolean => active.has(uploadId),

    /** Whether a request of any process writes to the upload. `upload` is its present row. */
    isWritingTo: ({ uploadId, writingUntil }: Pick<Upload, 'uploadId' | 'writingUntil'>, at: Instant): boolean =>
      active.has(uploadId) || (writingUntil !== undefined && writingUntil > at),

    /** Stops this process's writer, unless it has all bytes. Resolves when no request writes to the upload. */
    stop,

    /** Runs `work` as the only writer of the upload. */
    async take<Result>(
      uploadId: UploadId,
      request: AbortSignal,
      work: (writer: Writer) => Promise<Result>,
    ): Promise<Result> {
      // No await between the last check and `active.set`: another request could enter there, and two would write.
      while (active.has(uploadId)) await stop(uploadId)
      const { writer, entry, leave } = createWriter(request)
      active.set(uploadId, entry)
      const stopMarking = markWriting?.(uploadId)
      try {
        return await work(writer)
      } finally {
        stopMarking?.()
        active.delete(uploadId)
        touch(uploadId)
        leave()
      }
    },
  }
}

function createWriter(request: AbortSignal): {
  readonly writer: Writer
  readonly entry: ActiveWriter
  readonly leave: () => void
} {
  const stopping = new AbortController()
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let state: 'writing' | 'stopped' | 'complete' = 'writing'
  const abort = () => {
    if (state === 'writing') stopping.abort(request.reason)
  }
  if (request.aborted) abort()
  else request.addEventListener('abort', abort, { once: true })
  const writer: Writer = {
    signal: stopping.signal,
    isStopped: () => state === 'stopped',
    hasAllBytes() {
      if (state === 'writing') state = 'complete'
      return state === 'complete'
    },
  }
  const entry: ActiveWriter = {
    stop() {
      if (state !== 'writing') return
      state = 'stopped'
      stopping.abort()
    },
    done,
  }
  const leave = () => {
    request.removeEventListener('abort', abort)
    resolve()
  }
  return { writer, entry, leave }
}
