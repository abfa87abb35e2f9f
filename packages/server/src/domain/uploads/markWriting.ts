/** Marks in an upload's row, for other processes, that a chunk arrives here. Usual, short chunks cost no write. */
import { addSeconds } from '@blindkeep/protocol/ids'
import { createPause, type GiveUpAfter } from '../../ground/pause.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { MarkWriting } from './writers.ts'

const FIRST_MARK_MS = 2_000
const NEXT_MARK_MS = 20_000
/** A process that dies holds the upload for so long. */
const MARK_SECONDS = 60

interface MarkPorts {
  readonly store: Store
  readonly clock: Clock
  readonly giveUpAfter: GiveUpAfter
}

export function createMarkWriting({ store, clock, giveUpAfter }: MarkPorts): MarkWriting {
  const pause = createPause(giveUpAfter)

  return (uploadId) => {
    const ending = new AbortController()
    const mark = async () => {
      for (let ms = FIRST_MARK_MS; await pause(ms, ending.signal); ms = NEXT_MARK_MS) {
        const until = addSeconds(clock.now(), MARK_SECONDS)
        // Without a mark the upload may end early. The chunk tells its client then.
        await store.write([], (tx) => tx.uploads.markWriting(uploadId, until)).catch(() => undefined)
      }
    }
    void mark()
    return () => ending.abort()
  }
}
