/** Positive verdicts against the disk: durable bytes stay for the grace window from `checked_at`. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pause } from '../harness/api.ts'

interface Watched {
  /** For messages. */
  readonly what: string
  /** As `objects.location`. */
  readonly location: string
  readonly size: number
  /** Milliseconds since 1970: the last moment at which the file must exist. */
  readonly untilMs: number
}

export interface Watch {
  /** Polls the file until its window is over. */
  add(watched: Watched): void
  /** Resolves when all windows are over. */
  settled(): Promise<void>
  readonly faults: readonly string[]
  /** Files kept for their window, and of them those removed soon after: the collector was close. */
  counts(): { readonly kept: number; readonly removedSoonAfter: number; readonly looks: number }
}

const LOOK_EVERY_MS = 25
/** The last look comes this long before the end of a window, so that it is over by then. */
const LAST_LOOK_MS = 4

export function createWatch(blobsDirectory: string, removedSoonMs: number): Watch {
  const faults: string[] = []
  const running = new Set<Promise<void>>()
  const counts = { kept: 0, removedSoonAfter: 0, looks: 0 }

  async function sizeOf(location: string): Promise<number | undefined> {
    counts.looks++
    return stat(join(blobsDirectory, location)).then(
      ({ size }) => size,
      () => undefined,
    )
  }

  async function watch({ what, location, size, untilMs }: Watched): Promise<void> {
    for (let leftMs = untilMs - Date.now(); leftMs > 0; leftMs = untilMs - Date.now()) {
      const present = await sizeOf(location)
      const lookedAt = Date.now()
      if (present !== size && lookedAt <= untilMs) {
        faults.push(
          `${what} was durable until ${untilMs}, and had ${present} of ${size} bytes at ${lookedAt}: ${location}`,
        )
        return
      }
      await pause(Math.max(1, Math.min(LOOK_EVERY_MS, untilMs - lookedAt - LAST_LOOK_MS)))
    }
    counts.kept++
    while (Date.now() < untilMs + removedSoonMs) {
      if ((await sizeOf(location)) === undefined) {
        counts.removedSoonAfter++
        return
      }
      await pause(4 * LOOK_EVERY_MS)
    }
  }

  return {
    faults,
    counts: () => ({ ...counts }),
    add(watched) {
      const work = watch(watched).finally(() => running.delete(work))
      running.add(work)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
