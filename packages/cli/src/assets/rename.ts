/** `blindkeep rename`: another name for a file of the account. */
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { shown } from '../ground/texts.ts'
import { chosenAssets, titleOf } from './chosen.ts'
import { consents, SIGN_IT } from './consent.ts'

export async function rename(given: string, name: string, flags: OwnerFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { owner, report } = session
  return await interruptible(async (signal) => {
    for (const one of await chosenAssets(session, [given], { signal })) {
      if (!(await consents([one], flags, SIGN_IT))) {
        report.problem('Nothing was renamed.', { event: 'declined' })
        return EXIT.failed
      }
      const { assetId } = one.asset
      const allowRevokedDevice = one.signerRevokedAt !== undefined
      await owner.renameAsset(assetId, { name, device: await session.device(), allowRevokedDevice, signal })
      report.result(`${shown(titleOf(one))} is now ${shown(name)}.`, { event: 'named', asset_id: assetId, name })
    }
    await followAlbums(session, signal)
    return EXIT.done
  })
}
