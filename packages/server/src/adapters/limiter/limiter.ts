import { replaceFile } from '../../ground/disk.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { type Count, createCounts } from './counts.ts'
import { decodeCounts, encodeCounts, readCountsFile } from './countsFile.ts'

const FLUSH_MS = 5000

interface LimiterOptions {
  /** The file that keeps the counts across restarts. */
  readonly path: string
  /** The key of the hashes of sources and accounts. Under another key all counts start at zero. */
  readonly secret: Uint8Array
  readonly clock: Clock
  readonly warn: (event: string, facts: { readonly error: unknown }) => void
}

/** Counts in memory, saved every five seconds and at the end. With an unreadable file counts start at zero. */
export async function openLimiter({ path, secret, clock, warn }: LimiterOptions): Promise<Limiter> {
  const counts = createCounts({ secret, clock, present: await readPresent() })
  let isChanged = false
  let hasFailed = false
  let writing: Promise<void> = Promise.resolve()

  async function readPresent(): Promise<readonly Count[]> {
    try {
      const file = await readCountsFile(path)
      return file === undefined ? [] : decodeCounts(secret, file)
    } catch (error) {
      warn('the counts of limits could not be read and start at zero', { error })
      return []
    }
  }

  async function flush(): Promise<void> {
    if (!isChanged) return
    isChanged = false
    try {
      await replaceFile(path, encodeCounts(secret, counts.entries()))
      hasFailed = false
    } catch (error) {
      isChanged = true
      // Warn once per failure, not every five seconds.
      if (!hasFailed) warn('the counts of limits could not be saved and a restart would lose them', { error })
      hasFailed = true
    }
  }

  function flushNext(): Promise<void> {
    writing = writing.then(flush)
    return writing
  }

  const timer = setInterval(flushNext, FLUSH_MS).unref()
  return {
    async take(limits) {
      isChanged = true
      return counts.take(limits)
    },
    async giveBack(limits) {
      isChanged = true
      counts.giveBack(limits)
    },
    async close() {
      clearInterval(timer)
      await flushNext()
    },
  }
}
