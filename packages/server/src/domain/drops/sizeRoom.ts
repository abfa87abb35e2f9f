/**
 * Whether a declared size fits, as far as the guest may learn it. Link and quota are judged to the byte. But an answer about a size between what is shown and
 * the exact number tells something of other guests' files, one bit each time: 27 of them find the exact size of a file on a link of 10 GB. So there are few
 * such trials; without one, what is shown counts.
 */
import type { UploadId } from '@blindkeep/protocol/ids'
import type { Limiter } from '../../ports/limiter.ts'
import type { Link, ReadTx, Upload } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'
import { BOUNDLESS, type OnItsWay, type Owner, type ShownRoom, shownRoom, uncertainBytes } from './shownRoom.ts'

/** Against what. */
export type Trial = 'link' | 'account'

/** For each link and for each account. */
const MAX_TRIALS = 4
const TRIALS_SECONDS = 86_400

/** Ends the transaction: the answer may only be given if the request has a trial. */
export class TrialNeeded extends Error {
  override readonly name = 'TrialNeeded'
  readonly trial: Trial
  constructor(trial: Trial) {
    super('the size lies between what is shown and what is free')
    this.trial = trial
  }
}

/** Repeats `open` with the trials that it needs, as long as there are some. */
export async function trying<Answer>(
  limiter: Limiter,
  { opaqueId, accountId }: Pick<Link, 'opaqueId' | 'accountId'>,
  open: (trials: ReadonlySet<Trial>) => Promise<Answer>,
): Promise<Answer | Refuses<'caps_exhausted' | 'quota_exceeded'>> {
  const trials = new Set<Trial>()
  for (;;) {
    try {
      return await open(trials)
    } catch (error) {
      if (!(error instanceof TrialNeeded)) throw error
      const { trial } = error
      const key = trial === 'link' ? opaqueId : accountId
      const limit = { rule: `sizes-tried-of-${trial}`, key, max: MAX_TRIALS, windowSeconds: TRIALS_SECONDS }
      if ((await limiter.take([limit])) !== undefined)
        return { refused: trial === 'link' ? 'caps_exhausted' : 'quota_exceeded' }
      trials.add(trial)
    }
  }
}

/** Link and owner as they were before any session gave its place up. */
interface Asked {
  readonly link: Link
  readonly owner: Owner
  readonly size: number
  /** Sessions that gave their place to the new one. */
  readonly ended: readonly Upload[]
}

interface Counted {
  /** At least as many as the account's guests have sessions, without the new and the ended ones. */
  readonly unclosed: number
  /** The new session. */
  readonly own: UploadId
}

export type SizeRoom = ReturnType<typeof createSizeRoom>

export function createSizeRoom({ link, owner, size, ended }: Asked) {
  const { maxTotalBytes, landedBytes, openBytes, openSessions } = link
  const { hardLimit, usedBytes } = owner
  let onTheirWay: readonly OnItsWay[] | undefined

  /** Without the sessions `gone` of this link. What surely fits is not looked at. */
  function shown(gone: readonly Upload[]): ShownRoom {
    if (onTheirWay === undefined) return BOUNDLESS
    const left = onTheirWay.filter(({ uploadId }) => !gone.some((upload) => upload.uploadId === uploadId))
    const goneBytes = gone.reduce((sum, upload) => sum + upload.size, 0)
    const rest = { ...link, openBytes: openBytes - goneBytes }
    return shownRoom(rest, { ...owner, usedBytes: usedBytes - goneBytes }, left)
  }

  /** What is asked beyond what is shown. Undefined also for a size that is too large in any case. */
  function trialWithout(gone: readonly Upload[]): Trial | undefined {
    const { ofLink, ofAccount } = shown(gone)
    const beyond = uncertainBytes(link, hardLimit, (onTheirWay?.length ?? 0) + 1)
    if (size > ofLink) return size <= ofLink + beyond ? 'link' : undefined
    return ofAccount < size && size <= ofAccount + beyond ? 'account' : undefined
  }

  return {
    async look(tx: ReadTx, { unclosed, own }: Counted): Promise<void> {
      const slack = (count: number) => size + uncertainBytes(link, hardLimit, count)
      const fitsLink = maxTotalBytes === undefined || maxTotalBytes - landedBytes - openBytes >= slack(openSessions)
      const fitsAccount = hardLimit === undefined || hardLimit - usedBytes >= slack(unclosed + ended.length)
      if (fitsLink && fitsAccount) return
      const unended = await tx.uploads.unclosedOfGuests(link.accountId)
      onTheirWay = [...unended.filter(({ uploadId }) => uploadId !== own), ...ended.flatMap(asOnItsWay)]
    },

    /** How many sessions have `ended` to make a place tells of the exact number, too: before each of them, something was asked. */
    trial(): Trial | undefined {
      for (let count = 0; count <= ended.length; count += 1) {
        const trial = trialWithout(ended.slice(0, count))
        if (trial !== undefined) return trial
      }
      return undefined
    },
  }
}

function asOnItsWay(upload: Upload): readonly OnItsWay[] {
  return upload.assetId === undefined ? [upload] : []
}
