import type { AccountId } from '@blindkeep/protocol/ids'
import { type Blobs, DigestsBusy } from '../../ports/blobs.ts'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { HeldBlob } from '../../ports/store.ts'
import { createScanTurns, type GiveUpAfter } from './scanTurns.ts'
import { isWithheld, type ScanOutcome } from './verdicts.ts'

/**
 * Reading bytes again to see whether they are still those of the receipt, within what an account may have read in an hour
 * (specification, Storage verification, rules 5 and 6).
 */
export type ScanObject = (object: HeldBlob) => Promise<ScanOutcome>

interface DeepScanPorts {
  readonly blobs: Pick<Blobs, 'digest'>
  readonly limiter: Limiter
  readonly giveUpAfter: GiveUpAfter
  /** CappedList of a kept object whose bytes are wrong; takes note in memory alone. */
  readonly suspect: (location: string) => void
}

const WINDOW_SECONDS = 3600
/** What a scan counts at least: finding and opening a small file costs as much as reading a larger one. */
const SCAN_BYTES_LEAST = 1024 * 1024
/** Of the default budget: 32 times the least, as many as an asset has blobs. */
const LEFT_SHARE = 1 / 2048

export function createDeepScans(
  { blobs, limiter, giveUpAfter, suspect }: DeepScanPorts,
  { deepBytesPerHour }: { readonly deepBytesPerHour: number },
) {
  const turns = createScanTurns({ giveUpAfter })

  /** An object larger than the whole budget is read when nothing else was, and leaves a little, or the small blobs of its asset could never be read beside it. */
  function limitOf(accountId: AccountId, { size }: HeldBlob): Limit {
    const most = deepBytesPerHour - Math.floor(deepBytesPerHour * LEFT_SHARE)
    const weight = Math.min(Math.max(size, SCAN_BYTES_LEAST), most)
    const budget = { max: deepBytesPerHour, windowSeconds: WINDOW_SECONDS }
    return { rule: 'deep-bytes-of-account', key: accountId, ...budget, weight }
  }

  async function scan(object: HeldBlob, accountId: AccountId, signal: AbortSignal): Promise<ScanOutcome> {
    signal.throwIfAborted()
    const limits = [limitOf(accountId, object)]
    if ((await limiter.take(limits)) !== undefined) return 'rate_limited'
    try {
      const { sha256, size } = await blobs.digest(object.location, object.size, signal)
      if (sha256 === object.ciphertextHash && size === object.size) return 'intact'
      if (!isWithheld(object)) suspect(object.location)
      return 'corrupt'
    } catch (error) {
      // What was read for somebody who has gone is spent, or whoever never waits for the answer could have the server read for ever.
      signal.throwIfAborted()
      await limiter.giveBack(limits)
      return error instanceof DigestsBusy ? 'rate_limited' : 'unreadable'
    }
  }

  return {
    /**
     * Runs `work` in this account's turn; when it does not come in time, all that `work` asks for is `rate_limited` and nothing is charged.
     * Each object is read and charged once, however often it is asked for. Throws the signal's reason when that aborts.
     */
    async inTurn<Result>(
      { accountId, signal }: { readonly accountId: AccountId; readonly signal: AbortSignal },
      work: (scanObject: ScanObject) => Promise<Result>,
    ): Promise<Result> {
      if (!(await turns.enter(accountId, signal))) return work(async () => 'rate_limited')
      const known = new Map<string, ScanOutcome>()
      try {
        return await work(async (object) => {
          const outcome = known.get(object.location) ?? (await scan(object, accountId, signal))
          known.set(object.location, outcome)
          return outcome
        })
      } finally {
        turns.leave(accountId)
      }
    },
  }
}
