import type { AccountId } from '@blindkeep/protocol/ids'
import { createPause, type GiveUpAfter } from '../../ground/pause.ts'
import { BlobMissing, DigestsBusy } from '../../ground/storageErrors.ts'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Seat, Seats } from '../../ports/seats.ts'
import type { HeldBlob } from '../../ports/store.ts'
import { type Spender, sharedLimits, wholeForOne } from '../ground/sessionShare.ts'
import { createScanTurns } from './scanTurns.ts'
import { isOfObject } from './unreadable.ts'
import { isWithheld, type ScanOutcome } from './verdicts.ts'

/**
 * Reads bytes again and compares them with the receipt's hash, within the hourly budget of the session. All sessions of
 * the account together have a third more, so that one of them leaves the others something (specification, Storage
 * verification, rules 5 and 6).
 */
export type ScanObject = (object: HeldBlob) => Promise<ScanOutcome>

interface DeepScanPorts {
  readonly objects: Pick<Objects, 'digest' | 'check'>
  readonly limiter: Limiter
  readonly seats: Seats
  readonly giveUpAfter: GiveUpAfter
  /** Called for a kept object with wrong, missing or unreadable bytes, which is then withheld. Never rejects. */
  readonly reportDamage: (location: string) => Promise<void>
}

const WINDOW_SECONDS = 3600
/** While another process scans for the account: ten seconds in all. */
const LOOK_MS = 250
const MAX_LOOKS = 40
/** A scan counts at least this much: finding and opening a small file costs as much as reading a larger one. */
const MIN_SCAN_BYTES = 1024 * 1024
/** The budget's share that one object may not use: by default `MIN_SCAN_BYTES` for each of an asset's 32 blobs. */
const RESERVED_SHARE = 1 / 2048

interface Scanner extends Spender {
  readonly signal: AbortSignal
}

interface Turn {
  /** Among all processes. */
  readonly seat: Seat
  readonly leaveTurn: () => void
}

export function createDeepScans(
  { objects, limiter, seats, giveUpAfter, reportDamage }: DeepScanPorts,
  { deepBytesPerHour }: { readonly deepBytesPerHour: number },
) {
  const enterTurn = createScanTurns({ giveUpAfter })
  const pause = createPause(giveUpAfter)

  /** The turn of the account in this process, then among all processes. Undefined if the wait was too long. */
  async function enter(accountId: AccountId, signal: AbortSignal): Promise<Turn | undefined> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const leaveTurn = await enterTurn(accountId, signal)
      if (leaveTurn === undefined) return undefined
      const seat = await seats.take(`deep scan of ${accountId}`, 1).catch((error: unknown) => {
        leaveTurn()
        throw error
      })
      if (seat !== undefined) return { seat, leaveTurn }
      // So that another account can scan here meanwhile.
      leaveTurn()
      await pause(LOOK_MS, signal)
      signal.throwIfAborted()
    }
    return undefined
  }

  /**
   * An object larger than the budget can be read while the hour's budget is unused. It does not use the reserved share,
   * so that the small blobs of its asset can be read too.
   */
  function limitsOf(spender: Spender, { size }: HeldBlob): readonly Limit[] {
    const maxWeight = deepBytesPerHour - Math.floor(deepBytesPerHour * RESERVED_SHARE)
    const weight = Math.min(Math.max(size, MIN_SCAN_BYTES), maxWeight)
    return sharedLimits('deep-bytes', spender, {
      ...wholeForOne(deepBytesPerHour),
      windowSeconds: WINDOW_SECONDS,
      weight,
    })
  }

  /** Throws `StorageUnavailable` when the whole blob store is away. */
  async function scan(object: HeldBlob, scanner: Scanner): Promise<ScanOutcome> {
    const outcome = await scanOnce(object, scanner)
    // One that is withheld is read again by the scrubber: a broken disk takes long to fail.
    if (outcome !== 'unreadable' || isWithheld(object)) return outcome
    // The store may have been away and be back.
    await objects.check()
    const again = await scanOnce(object, scanner, true)
    // No second read takes back that the first one failed.
    return again === 'rate_limited' ? outcome : again
  }

  async function scanOnce(object: HeldBlob, scanner: Scanner, isAgain = false): Promise<ScanOutcome> {
    const { signal } = scanner
    signal.throwIfAborted()
    const limits = limitsOf(scanner, object)
    if ((await limiter.take(limits)) !== undefined) return 'rate_limited'
    try {
      const { sha256, size } = await objects.digest(object.location, object.size, signal)
      if (sha256 === object.ciphertextHash && size === object.size) return 'intact'
      if (!isWithheld(object)) await reportDamage(object.location)
      return 'corrupt'
    } catch (error) {
      // If the client disconnected, the charge stays: otherwise a client could make the server read without a limit.
      signal.throwIfAborted()
      await limiter.giveBack(limits)
      const isGone = error instanceof BlobMissing || (isAgain && (await isOfObject(error, objects)))
      if (isGone && !isWithheld(object)) await reportDamage(object.location)
      return error instanceof DigestsBusy ? 'rate_limited' : 'unreadable'
    }
  }

  return {
    /**
     * Runs `work` in a turn of the account. If the wait for the turn is too long, every scan of `work` returns
     * `rate_limited` and the budget is not charged. An object is read and charged once, even if `work` scans it again.
     * Throws the signal's reason when the signal aborts.
     */
    async inTurn<Result>(scanner: Scanner, work: (scanObject: ScanObject) => Promise<Result>): Promise<Result> {
      const { accountId, signal } = scanner
      const turn = await enter(accountId, signal)
      if (turn === undefined) return work(async () => 'rate_limited')
      const known = new Map<string, ScanOutcome>()
      try {
        return await work(async (object) => {
          const outcome = known.get(object.location) ?? (await scan(object, scanner))
          known.set(object.location, outcome)
          return outcome
        })
      } finally {
        await turn.seat.leave()
        turn.leaveTurn()
      }
    },
  }
}
