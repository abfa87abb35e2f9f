/**
 * Several uploads to a server with little room. One that finds none waits. If each keeps what the others lack, none
 * would land: so they give way to one, and go on one after the other (decisions/full-disk.md).
 */
import { SendError } from './sendError.ts'
import { type SendTrouble, sendTroubleOf } from './sendTrouble.ts'

interface Advance {
  /** Acknowledged by the server. */
  readonly bytes: number
  readonly trouble?: SendTrouble
}

interface UploadInTurn<Result> {
  readonly signal: AbortSignal | undefined
  /** Called when the upload waits for others. */
  readonly onWaiting: () => void
  /** Sends what the server lacks. Rejects with the signal's reason. */
  readonly attempt: (options: {
    readonly signal: AbortSignal
    readonly onAdvance: (advance: Advance) => void
  }) => Promise<Result>
  /** Has the server delete what it received. Whether it did; then the next attempt begins from byte 0. */
  readonly giveBack: () => Promise<boolean>
}

/** Pass the same one to all uploads that run at once. */
export interface SendTurns {
  /** Returns what the last attempt returned. A wait ends with the upload before, whose tries are bounded. */
  run<Result>(upload: UploadInTurn<Result>): Promise<Result>
}

interface Running {
  bytes: number
  readonly leave: AbortController
}

interface Waiting {
  readonly upload: Running
  readonly begin: () => void
}

export function createSendTurns(): SendTurns {
  /** The oldest first. */
  const running = new Set<Running>()
  const waiting: Waiting[] = []
  /** How many went on after the last refusal for lack of room, and one more with each file that lands. */
  let atOnce = Number.POSITIVE_INFINITY

  function giveWay(refused: Running): void {
    const going = [...running].filter(({ leave }) => !leave.signal.aborted)
    if (going.length < 2) return
    const most = going.reduce((kept, upload) => (upload.bytes > kept.bytes ? upload : kept))
    // Of one without a byte the server keeps nothing that the others lack.
    const isLeaving =
      refused.bytes === 0 ? (upload: Running) => upload === refused : (upload: Running) => upload !== most
    const leaving = going.filter(isLeaving)
    atOnce = going.length - leaving.length
    for (const { leave } of leaving) leave.abort()
  }

  function beginMore(): void {
    while (running.size < atOnce) {
      const next = waiting.shift()
      if (next === undefined) return
      running.add(next.upload)
      next.begin()
    }
  }

  async function turnOf(upload: Running, { signal, onWaiting }: Pick<UploadInTurn<unknown>, 'signal' | 'onWaiting'>) {
    signal?.throwIfAborted()
    if (running.size < atOnce && waiting.length === 0) return void running.add(upload)
    onWaiting()
    await new Promise<void>((resolve, reject) => {
      const entry = { upload, begin: resolve }
      waiting.push(entry)
      signal?.addEventListener('abort', () => {
        const index = waiting.indexOf(entry)
        if (index >= 0) waiting.splice(index, 1)
        reject(signal.reason)
      })
    })
  }

  return {
    async run({ signal, onWaiting, attempt, giveBack }) {
      for (;;) {
        const leave = new AbortController()
        const upload: Running = { bytes: 0, leave }
        await turnOf(upload, { signal, onWaiting })
        try {
          const result = await attempt({
            signal: signal === undefined ? leave.signal : AbortSignal.any([signal, leave.signal]),
            onAdvance({ bytes, trouble }) {
              upload.bytes = bytes
              if (trouble === 'disk_full') giveWay(upload)
            },
          })
          atOnce += 1
          return result
        } catch (error) {
          if (signal?.aborted === true || !(leave.signal.aborted || isForRoom(error))) throw error
          const isGivenBack = await giveBack()
          if (leave.signal.aborted) continue
          throw isGivenBack && isForRoom(error) ? new SendError('server_full', error) : error
        } finally {
          running.delete(upload)
          beginMore()
        }
      }
    },
  }
}

/** The server had no room, many times in a row. */
function isForRoom(error: unknown): error is SendError {
  return (
    error instanceof SendError && error.reason === 'server_unavailable' && sendTroubleOf(error.cause) === 'disk_full'
  )
}
