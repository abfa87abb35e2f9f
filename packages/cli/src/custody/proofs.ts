/** `blindkeep receipts --proof`: a proof about each of the named files, checked before it is written. */
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { chosenAssets, titleOf } from '../assets/chosen.ts'
import { consents } from '../assets/consent.ts'
import type { DescribedAsset } from '../assets/described.ts'
import { makeFolder } from '../ground/disk.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { shown } from '../ground/texts.ts'
import { pin, pinsOf } from '../home/pins.ts'
import { failureOf } from '../outcomes/failures.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { addedProof, assetProofPath } from '../receipts/saved.ts'
import { createProgress } from '../send/progress.ts'

/** Each reads its whole file. More would share the same line. */
const AT_ONCE = 3

export async function saveProofs(
  given: readonly string[],
  flags: OwnerFlags & { readonly to?: string },
): Promise<Exit> {
  const { to: folder = '.' } = flags
  if (given.length === 0) throw new UsageError('--proof is for named files, because it reads each of them as a whole.')
  const session = await signedIn(flags)
  const { report } = session
  return await interruptible(async (signal) => {
    const chosen = await chosenAssets(session, given, { signal })
    if (!(await consents(chosen, flags))) {
      report.problem('No proof was made.', { event: 'declined' })
      return EXIT.failed
    }
    makeFolder(folder)
    const outcomes = createOutcomes(report)
    const files = chosen.map((one) => ({ one, shownAs: titleOf(one), size: one.file?.size ?? 0 }))
    const progress = createProgress(files, report)
    await mapConcurrently(files, AT_ONCE, async (file) => {
      if (signal.aborted) return
      const { assetId } = file.one.asset
      const onProgress = (bytes: number, of: number) => progress.of(file)({ phase: 'comparing', bytes, of })
      try {
        const path = await saveProof(session, file.one, { folder, signal, onProgress })
        const fact = { event: 'proof_saved', asset_id: assetId, name: file.one.file?.name, proof_file: path }
        report.result(`The proof of ${shown(file.shownAs)} is ${shown(path)}.`, fact)
      } catch (error) {
        if (!signal.aborted) outcomes.fail(file.shownAs, { asset_id: assetId }, failureOf(error))
      } finally {
        progress.end(file)
      }
    })
    report.end()
    signal.throwIfAborted()
    return outcomes.exit()
  })
}

interface Saving {
  readonly folder: string
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number, of: number) => void
}

async function saveProof(
  { owner, profile, server }: SignedIn,
  { asset, file, signerRevokedAt }: DescribedAsset,
  { folder, ...options }: Saving,
): Promise<string> {
  const pinned = await pinsOf(profile.home, new URL(server).origin)
  const allowRevokedDevice = signerRevokedAt !== undefined
  const { proof, keys } = await owner.proveAsset(asset, { pinned, allowRevokedDevice, ...options })
  await pin(profile.home, keys)
  return await addedProof(assetProofPath(folder, asset.assetId, file?.name), proof)
}
