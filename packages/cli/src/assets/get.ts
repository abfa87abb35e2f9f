/** `blindkeep get`: files of the account onto this machine, or to standard output. */
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { agrees } from '../ground/ask.ts'
import { makeFolder } from '../ground/disk.ts'
import { EXIT, type Exit, LocalError, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { shown } from '../ground/texts.ts'
import { failureOf } from '../outcomes/failures.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { isFileAt, saveAs, saveFile } from '../save/saveFile.ts'
import { toOutput } from '../save/toOutput.ts'
import { createProgress } from '../send/progress.ts'
import { chosenFiles, requireFilesOrAlbum, titleOf } from './chosen.ts'
import { consents, markOf, permitted } from './consent.ts'
import type { DescribedAsset } from './described.ts'
import { getZip, savedFact } from './getZip.ts'

interface GetFlags extends OwnerFlags {
  readonly album?: string
  readonly to?: string
  /** A path, or - for standard output. */
  readonly output?: string
  /** As `output`, of all files as one ZIP. */
  readonly zip?: string
}

/** More would share the same line. */
const AT_ONCE = 3

export async function get(given: readonly string[], flags: GetFlags): Promise<Exit> {
  requireFilesOrAlbum(given, flags.album)
  const { output = flags.zip } = flags
  requireOneTarget(given, flags)
  const replace = output !== undefined && output !== '-' && (await isFileAt(output))
  const session = await signedIn(flags)
  return await interruptible(async (signal) => {
    const chosen = await chosenFiles(session, given, { album: flags.album, signal })
    if (!(await consents(chosen, flags))) {
      session.report.problem('Nothing was opened.', { event: 'declined' })
      return EXIT.failed
    }
    const [only] = chosen
    if (only === undefined) throw new LocalError('There are no files in this album.')
    if (flags.output === '-') return await printed(session, only, signal)
    if (replace && !(await agrees(`Replace ${output}?`, flags))) {
      session.report.problem(`${output} is kept as it is.`, { event: 'declined', path: output })
      return EXIT.failed
    }
    if (flags.zip !== undefined) return await getZip(session, chosen, { path: flags.zip, replace, signal })
    return await toFiles(session, chosen, { flags, replace, signal })
  })
}

function requireOneTarget(given: readonly string[], { album, output, to, zip, json = false }: GetFlags): void {
  if (output !== undefined && (to !== undefined || album !== undefined || given.length > 1))
    throw new UsageError('-o is for one file, without --to.')
  if (zip !== undefined && (to !== undefined || output !== undefined))
    throw new UsageError('--zip is the place of the files: give neither --to nor -o with it.')
  if ((output === '-' || zip === '-') && json) throw new UsageError('- and --json both need standard output.')
  if (zip === '-' && process.stdout.isTTY) throw new UsageError('a ZIP is not for a terminal. Name a file, or a pipe.')
}

interface Getting {
  readonly flags: GetFlags
  /** The person agreed that what is at the path may go. */
  readonly replace: boolean
  readonly signal: AbortSignal
}

async function toFiles(session: SignedIn, chosen: readonly DescribedAsset[], getting: Getting): Promise<Exit> {
  const { report } = session
  const { signal, flags } = getting
  if (flags.to !== undefined) makeFolder(flags.to)
  const outcomes = createOutcomes(report)
  const files = chosen.map((one) => ({ one, shownAs: titleOf(one), size: one.file?.size ?? 0 }))
  const progress = createProgress(files, report)
  await mapConcurrently(files, AT_ONCE, async (file) => {
    if (signal.aborted) return
    const onBytes = (bytes: number) => progress.of(file)({ phase: 'saving', bytes, of: file.size })
    try {
      const path = await save(session, file.one, { ...getting, onBytes })
      const mark = markOf(file.one)
      const what = mark === undefined ? shown(file.shownAs) : `${shown(file.shownAs)}, ${mark},`
      report.result(`${what} is saved as ${shown(path)}.`, savedFact(file.one, path))
    } catch (error) {
      if (!signal.aborted) outcomes.fail(file.shownAs, { asset_id: file.one.asset.assetId }, failureOf(error))
    } finally {
      progress.end(file)
    }
  })
  report.end()
  signal.throwIfAborted()
  return outcomes.exit()
}

interface Saving extends Getting {
  readonly onBytes: (bytes: number) => void
}

async function save({ owner }: SignedIn, one: DescribedAsset, { flags, replace, signal, onBytes }: Saving) {
  const { output, to = '.' } = flags
  const { content, name, size, modifiedAt, assetId } = await owner.openAsset(one.asset, permitted(one, signal))
  const file = { id: assetId, size, modifiedAt, content: async () => content, onBytes }
  try {
    if (output === undefined) return await saveFile({ ...file, folder: to, name })
    await saveAs(output, { ...file, replace })
    return output
  } catch (error) {
    await content.cancel().catch(() => undefined)
    throw error
  }
}

async function printed({ owner, report }: SignedIn, one: DescribedAsset, signal: AbortSignal): Promise<Exit> {
  const failure = await toOutput((await owner.openAsset(one.asset, permitted(one, signal))).content)
  if (failure === undefined) return EXIT.done
  createOutcomes(report).fail(titleOf(one), {}, failure)
  return failure.exit
}
