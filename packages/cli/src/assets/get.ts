/** `blindkeep get`: files of the account onto this machine, or to standard output. */
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { agrees } from '../ground/ask.ts'
import { isThere, makeFolder } from '../ground/disk.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { shown } from '../ground/texts.ts'
import { failureOf } from '../outcomes/failures.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { freeWritten } from '../save/part.ts'
import { saveAs, saveFile } from '../save/saveFile.ts'
import { createProgress } from '../send/progress.ts'
import { chosenAssets, titleOf } from './chosen.ts'
import { consents, markOf } from './consent.ts'
import type { DescribedAsset } from './described.ts'

export interface GetFlags extends OwnerFlags {
  readonly to?: string
  /** A path, or - for standard output. */
  readonly output?: string
}

/** More would share the same line. */
const AT_ONCE = 3

export async function get(given: readonly string[], flags: GetFlags): Promise<Exit> {
  const { output, to, json = false } = flags
  if (output !== undefined && (to !== undefined || given.length > 1))
    throw new UsageError('-o is for one file, without --to.')
  if (output === '-' && json) throw new UsageError('-o - and --json both need standard output.')
  const session = await signedIn(flags)
  return await interruptible(async (signal) => {
    const chosen = await chosenAssets(session, given, { signal })
    if (!(await consents(chosen, flags))) {
      session.report.problem('Nothing was opened.', { event: 'declined' })
      return EXIT.failed
    }
    const [only] = chosen
    if (output === '-' && only !== undefined) return await toOutput(session, only, signal)
    const replace = output !== undefined && (await isThere(output))
    if (replace && !(await agrees(`Replace ${output}?`, flags))) {
      session.report.problem(`${output} is kept as it is.`, { event: 'declined', path: output })
      return EXIT.failed
    }
    return await toFiles(session, chosen, { flags, replace, signal })
  })
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
    const { asset } = file.one
    const onBytes = (bytes: number) => progress.of(file)({ phase: 'saving', bytes, of: file.size })
    try {
      const path = await save(session, file.one, { ...getting, onBytes })
      const { file: described, signerRevokedAt } = file.one
      const fact = { event: 'saved', asset_id: asset.assetId, name: described?.name, path, size: file.size }
      const mark = markOf(file.one)
      const what = mark === undefined ? shown(file.shownAs) : `${shown(file.shownAs)}, ${mark},`
      report.result(`${what} is saved as ${shown(path)}.`, { ...fact, signer_revoked_at: signerRevokedAt })
    } catch (error) {
      if (!signal.aborted) outcomes.fail(file.shownAs, { asset_id: asset.assetId }, failureOf(error))
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

/** After `consents`, and for nothing that is not marked. */
function permitted({ signerRevokedAt }: DescribedAsset, signal: AbortSignal) {
  return { signal, allowRevokedDevice: signerRevokedAt !== undefined }
}

/** Writes pieces that are verified each. Only the end shows that they are the whole file. */
async function toOutput({ owner, report }: SignedIn, one: DescribedAsset, signal: AbortSignal): Promise<Exit> {
  const { content } = await owner.openAsset(one.asset, permitted(one, signal))
  let written = 0
  try {
    for await (const piece of content) {
      await write(piece)
      written += piece.length
      freeWritten(piece)
    }
    return EXIT.done
  } catch (error) {
    const failure = failureOf(error)
    const outcomes = createOutcomes(report)
    const discard = written === 0 ? '' : ' Discard what was written: it is not the whole file.'
    outcomes.fail(titleOf(one), {}, { ...failure, message: `${failure.message}${discard}` })
    return failure.exit
  }
}

function write(piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(piece, (error) => (error ? reject(error) : resolve()))
  })
}
