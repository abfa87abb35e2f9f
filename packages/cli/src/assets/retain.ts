/** `blindkeep retain`: files that cannot be deleted before a time. */
import { countText } from '@blindkeep/protocol/counts'
import type { OwnerFlags } from '../account/profile.ts'
import { retentionOf } from '../account/retaining.ts'
import { signedIn } from '../account/session.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Expiry } from '../ground/options.ts'
import { timeText } from '../ground/texts.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { chosenFiles, requireFilesOrAlbum, titleOf } from './chosen.ts'
import type { DescribedAsset } from './described.ts'

interface RetainFlags extends OwnerFlags {
  readonly for?: Expiry
  readonly until?: Expiry
  readonly album?: string
}

export async function retain(given: readonly string[], flags: RetainFlags): Promise<Exit> {
  const retention = flags.for ?? flags.until
  if (retention === undefined) throw new UsageError('give a time with --for or --until.')
  requireFilesOrAlbum(given, flags.album)
  const session = await signedIn(flags)
  const { owner, report } = session
  return await interruptible(async (signal) => {
    const chosen = await chosenFiles(session, given, { album: flags.album, signal })
    if (chosen.length === 0) {
      report.result('There are no files.', { event: 'retained', raised: 0, kept: 0 })
      return EXIT.done
    }
    const until = await retentionOf(owner, { retain: retention, files: chosen.length }, flags)
    if (until === 'declined') {
      report.problem('Nothing was changed.', { event: 'declined' })
      return EXIT.failed
    }
    const outcomes = createOutcomes(report)
    const { raised, skipped } = await owner.retainAssets(
      chosen.map(({ asset }) => asset.assetId),
      until,
    )
    const without = new Set(skipped)
    for (const one of chosen) if (without.has(one.asset.assetId)) outcomes.fail(titleOf(one), factOf(one), UNSIGNED)
    const kept = chosen.length - raised - without.size
    const before = kept > 0 ? ` ${countText(kept, 'other was', 'others were')} retained for as long before.` : ''
    report.result(`${countText(raised, 'file is', 'files are')} retained until ${timeText(until)}.${before}`, {
      event: 'retained',
      until,
      raised,
      kept,
      skipped: without.size,
    })
    return outcomes.exit()
  })
}

const factOf = ({ asset }: DescribedAsset) => ({ asset_id: asset.assetId })

const UNSIGNED = {
  message:
    'It is not retained: its upload is not complete, or it was deleted meanwhile. Finish it, and call this again.',
  reason: 'not_retained',
  exit: EXIT.failed,
}
