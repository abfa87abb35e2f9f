import type { UploadId } from '@blindkeep/protocol/ids'

/**
 * At most one request writes to a session. The newest wins, as the older one's connection is often dead without anybody knowing,
 * unless the older one has all its bytes: then the newer one waits for it. A writer that was stopped is awaited before the next one starts.
 */
export interface Writer {
  /** Aborts when a newer request takes over, the session ends, or the request itself is gone. */
  readonly signal: AbortSignal
  /** Whether a newer request, or the end of the session, stopped this one. */
  isStopped(): boolean
  /** From here on nobody stops this writer any more. False when somebody already has. */
  hasAllBytes(): boolean
}

interface Active {
  readonly stop: () => void
  readonly done: Promise<void>
}

export type Writers = ReturnType<typeof createWriters>

export function createWriters() {
  const active = new Map<UploadId, Active>()

  async function stop(uploadId: UploadId): Promise<void> {
    for (let writer = active.get(uploadId); writer !== undefined; writer = active.get(uploadId)) {
      writer.stop()
      await writer.done
    }
  }

  return {
    isWriting: (uploadId: UploadId): boolean => active.has(uploadId),

    /** Stops the present writer, if it has not all its bytes, and resolves when nobody writes. */
    stop,

    async take<Result>(
      uploadId: UploadId,
      request: AbortSignal,
      work: (writer: Writer) => Promise<Result>,
    ): Promise<Result> {
      // Awaited only while somebody writes: after the last look nobody else may get a turn before this one has entered, or two would write.
      while (active.has(uploadId)) await stop(uploadId)
      const { writer, entry, leave } = createWriter(request)
      active.set(uploadId, entry)
      try {
        return await work(writer)
      } finally {
        active.delete(uploadId)
        leave()
      }
    },
  }
}

function createWriter(request: AbortSignal): {
  readonly writer: Writer
  readonly entry: Active
  readonly leave: () => void
} {
  const stopping = new AbortController()
  const { promise: done, resolve: leave } = Promise.withResolvers<void>()
  let state: 'writing' | 'stopped' | 'complete' = 'writing'
  const writer: Writer = {
    signal: AbortSignal.any([stopping.signal, request]),
    isStopped: () => state === 'stopped',
    hasAllBytes() {
      if (state === 'writing') state = 'complete'
      return state === 'complete'
    },
  }
  const entry: Active = {
    stop() {
      if (state !== 'writing') return
      state = 'stopped'
      stopping.abort()
    },
    done,
  }
  return { writer, entry, leave }
}
