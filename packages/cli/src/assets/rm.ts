/** `blindkeep rm`: deletes files of the account. */
import { ProblemError } from '@blindkeep/client/errors'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { tellUndo } from '../bin/undo.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { losingText } from '../changes/losing.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { shown, timeText } from '../ground/texts.ts'
import { type Failure, failureOf } from '../outcomes/failures.ts'
import { createOutcomes, type Outcomes } from '../outcomes/outcomes.ts'
import { chosenAssets, isGone, titleOf } from './chosen.ts'
import { markOf } from './consent.ts'
import type { DescribedAsset } from './described.ts'

/** Named in the question; of more files only the number is said. */
const MAX_NAMED = 5

export async function rm(given: readonly string[], flags: OwnerFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { report } = session
  return await interruptible(async (signal) => {
    const chosen = await chosenAssets(session, given, { signal, skipsGone: true })
    if (chosen.length === 0) {
      report.list([], [], 'There is nothing left to delete.')
      return EXIT.done
    }
    const question = `Delete ${whatOf(chosen)} from the account, to be restored from the bin for a time?`
    if (!(await agreesToLose(session, { question, chosen, signal }, flags))) {
      report.problem('Nothing was deleted.', { event: 'declined' })
      return EXIT.failed
    }
    const outcomes = createOutcomes(report)
    await tellUndo(session, await deleteEach(session, chosen, { signal, outcomes }))
    await followAlbums(session, signal)
    return outcomes.exit()
  })
}

interface Loss {
  readonly question: string
  readonly chosen: readonly Pick<DescribedAsset, 'asset'>[]
  readonly signal: AbortSignal
}

/** The question also says which shares show the files. */
export async function agreesToLose(
  session: SignedIn,
  { question, chosen, signal }: Loss,
  flags: OwnerFlags,
): Promise<boolean> {
  if (flags.yes === true) return true
  const assets = chosen.map(({ asset }) => asset)
  const losing = await losingText(session, assets, signal)
  return await agrees(losing === undefined ? question : `${question} ${losing}`, flags)
}

/** Each takes a small request. */
const AT_ONCE = 4

/** A failure does not stop the deletion of the others. Returns the ids of those that are deleted. */
export async function deleteEach(
  { owner, report }: SignedIn,
  chosen: readonly DescribedAsset[],
  { signal, outcomes }: { readonly signal: AbortSignal; readonly outcomes: Outcomes },
): Promise<readonly string[]> {
  const deleted: string[] = []
  let ended = 0
  await forEachConcurrently(chosen, AT_ONCE, async (one) => {
    signal.throwIfAborted()
    const { assetId } = one.asset
    try {
      // Another device may have deleted it since it was chosen.
      await owner.deleteAsset(assetId).catch((error: unknown) => {
        if (!isGone(error)) throw error
      })
      const fact = { event: 'deleted', asset_id: assetId, name: one.file?.name }
      report.result(`${shown(titleOf(one))} is deleted.`, fact)
      deleted.push(assetId)
    } catch (error) {
      outcomes.fail(titleOf(one), { asset_id: assetId }, failureFor(one, error))
    }
    ended++
    report.progress(() => [`${ended} of ${chosen.length} are done`])
  })
  report.end()
  return deleted
}

function whatOf(chosen: readonly DescribedAsset[]): string {
  if (chosen.length > MAX_NAMED) return `${chosen.length} files`
  return chosen
    .map((one) => {
      const facts = [one.file && sizeText(one.file.size), markOf(one)].filter((fact) => fact !== undefined)
      return `${shown(titleOf(one))}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
    })
    .join(', ')
}

/** The server states until when an asset is retained. */
function failureFor({ asset }: DescribedAsset, error: unknown): Failure {
  const failure = failureOf(error)
  const { retainedUntil: until } = asset
  const isRetained = error instanceof ProblemError && error.code === 'error.asset.retained'
  if (!isRetained || until === undefined) return failure
  return { ...failure, message: `It must be kept until ${timeText(until)}. Delete it after that.` }
}
