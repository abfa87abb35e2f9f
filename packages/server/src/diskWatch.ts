import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { Log } from './ports/log.ts'
import type { Presence } from './ports/objects.ts'

/** How often a disk that is too full is said in the log. */
const PAUSE_MS = 60_000

export interface DiskWatch {
  /** Of the start: a sentence for people, if the disk is too full. */
  readonly warnings: readonly string[]
  stop(): void
}

interface DiskWatchParts {
  readonly disk: Presence
  readonly floorBytes: number
  readonly log: Log
  /** For tests. */
  readonly pauseMs?: number
}

/** Says that the disk is below its floor: at the start, and once a minute while it is. Without room no upload begins or goes on; all else works. */
export async function startDiskWatch({
  disk,
  floorBytes,
  log,
  pauseMs = PAUSE_MS,
}: DiskWatchParts): Promise<DiskWatch> {
  let isLow = false

  async function look(): Promise<string | undefined> {
    const freeBytes = await disk.check()
    const wasLow = isLow
    isLow = freeBytes < floorBytes
    if (isLow) log.warn('the disk is below its floor: uploads are refused', { freeBytes, floorBytes })
    else if (wasLow) log.info('the disk is above its floor again', { freeBytes, floorBytes })
    return isLow
      ? `The disk has ${sizeText(freeBytes)} of free space, below FREE_SPACE_FLOOR_BYTES (${sizeText(floorBytes)}). Uploads are refused until there is room.`
      : undefined
  }

  // A disk that does not answer is said by each request that needs it, and by /readyz.
  const quietly = () => look().catch(() => undefined)
  const warning = await quietly()
  const timer = setInterval(quietly, pauseMs).unref()
  return { warnings: warning === undefined ? [] : [warning], stop: () => clearInterval(timer) }
}
