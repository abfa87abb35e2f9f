import type { AccountId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Objects } from '../../ports/objects.ts'
import { DigestsBusy } from '../../ports/storageErrors.ts'
import type { HeldBlob } from '../../ports/store.ts'
import { createScanTurns, type GiveUpAfter } from './scanTurns.ts'
import { isWithheld, type ScanOutcome } from './verdicts.ts'

/**
 * Reads bytes again and compares them with the receipt's hash, within the hourly budget of the account
 * (specification, Storage verification, rules 5 and 6).
 */
export type ScanObject = (object: HeldBlob) => Promise<ScanOutcome>

interface DeepScanPorts {
  readonly objects: Pick<Objects, 'digest'>
  readonly limiter: Limiter
  readonly giveUpAfter: GiveUpAfter
  /** Called for a kept object whose bytes are wrong. Changes only memory. */
  readonly reportDamage: (location: string) => void
}

const WINDOW_SECONDS = 3600
/** A scan counts at least this much: finding and opening a small file costs as much as reading a larger one. */
const MIN_SCAN_BYTES = 1024 * 1024
/** The share of the budget that one object may not use: of the default budget, `MIN_SCAN_BYTES` for each of an asset's 32 blobs. */
const RESERVED_SHARE = 1 / 2048

export function createDeepScans(
  { objects, limiter, giveUpAfter, reportDamage }: DeepScanPorts,
  { deepBytesPerHour }: { readonly deepBytesPerHour: number },
) {
  const turns = createScanTurns({ giveUpAfter })

  /**
   * An object larger than the budget can be read while the hour's budget is unused. It does not use the reserved share, so that the small blobs of its
   * asset can be read too.
   */
  function limitOf(accountId: AccountId, { size }: HeldBlob): Limit {
    const maxWeight = deepBytesPerHour - Math.floor(deepBytesPerHour * RESERVED_SHARE)
    const weight = Math.min(Math.max(size, MIN_SCAN_BYTES), maxWeight)
    const budget = { max: deepBytesPerHour, windowSeconds: WINDOW_SECONDS }
    return { rule: 'deep-bytes-of-account', key: accountId, ...budget, weight }
  }

  async function scan(object: HeldBlob, accountId: AccountId, signal: AbortSignal): Promise<ScanOutcome> {
    signal.throwIfAborted()
    const limits = [limitOf(accountId, object)]
    if ((await limiter.take(limits)) !== undefined) return 'rate_limited'
    try {
      const { sha256, size } = await objects.digest(object.location, object.size, signal)
      if (sha256 === object.ciphertextHash && size === object.size) return 'intact'
      if (!isWithheld(object)) reportDamage(object.location)
      return 'corrupt'
    } catch (error) {
      // If the client disconnected, the charge stays: otherwise a client could make the server read without a limit.
      signal.throwIfAborted()
      await limiter.giveBack(limits)
      return error instanceof DigestsBusy ? 'rate_limited' : 'unreadable'
    }
  }

  return {
    /**
     * Runs `work` in a turn of the account. If the wait for the turn is too long, every scan of `work` returns `rate_limited` and the budget is not
     * charged. An object is read and charged once, even if `work` scans it again. Throws the signal's reason when the signal aborts.
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
