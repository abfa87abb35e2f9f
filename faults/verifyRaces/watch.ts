/** Every yes of the server held against its disk: what was called durable has to lie there, whole, for the grace window from `checked_at`. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pause } from '../api.ts'

export interface Watched {
  /** Of what it is, for people. */
  readonly what: string
  /** As `objects.location`. */
  readonly location: string
  readonly size: number
  /** Milliseconds since 1970, until when, inclusive, it has to be there. */
  readonly untilMs: number
}

export interface Watch {
  /** Looks at a file again and again until its time is over. */
  add(watched: Watched): void
  /** Resolves when the time of everything is over. */
  settled(): Promise<void>
  readonly faults: readonly string[]
  /** Yeses that were watched to their end; those of them whose bytes were gone within a few windows, so that it was a near thing. */
  counts(): { readonly kept: number; readonly goneSoonAfter: number; readonly looks: number }
}

const LOOK_EVERY_MS = 25
/** Before the end of a time: as late as a look can be and still be over by then. */
const LAST_LOOK_MS = 4

export function createWatch(blobsDirectory: string, goneSoonMs: number): Watch {
  const faults: string[] = []
  const running = new Set<Promise<void>>()
  const counts = { kept: 0, goneSoonAfter: 0, looks: 0 }

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
    while (Date.now() < untilMs + goneSoonMs) {
      if ((await sizeOf(location)) === undefined) {
        counts.goneSoonAfter++
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
