/** `blindkeep inbox adopt`. */
import type { DescribedDrop, Owner } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { OwnerFlags } from '../account/profile.ts'
import { retentionOf } from '../account/retaining.ts'
import { signedIn } from '../account/session.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit, exitOf } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Expiry } from '../ground/options.ts'
import { filesText, shown } from '../ground/texts.ts'
import { openAdoptions } from './adoptions.ts'
import { albumOf, type ChoiceFlags, isWholesale, openInbox, requireChoice, select, selectionOf } from './inbox.ts'
import { forAllDrops, tellAdopted, tellFaults } from './saving.ts'

export interface AdoptFlags extends OwnerFlags, ChoiceFlags {
  readonly album: string
  readonly retain?: Expiry
}

/** A device signs for each drop, as this profile was shown it. */
export async function adopt(ids: readonly string[], flags: AdoptFlags): Promise<Exit> {
  requireChoice(ids, flags)
  const signed = await signedIn(flags)
  const { owner, report } = signed
  return await interruptible(async (signal) => {
    const album = await albumOf(owner, flags.album)
    const selection = await selectionOf(owner, ids, flags)
    const adoptions = openAdoptions(signed)
    const inbox = openInbox(signed)
    const items = await inbox.read(signal)
    const inInbox = new Set<string>(items.map(({ dropId }) => dropId))
    const begun = (await adoptions.begun()).filter(({ dropId }) => !inInbox.has(dropId))
    const all = [...items, ...begun]
    const chosen = select(isWholesale(flags) ? items : all, {
      ...selection,
      ids: await inbox.withoutLeft(ids, all),
    })
    // Of what an earlier call had begun: those files have left the inbox and have no signature.
    const others = begun.filter(({ dropId }) => !chosen.some((item) => item.dropId === dropId))
    report.end()
    if (others.length > 0)
      report.aside(`${filesText(others.length)} that an earlier call has begun to adopt will be finished, too.`)
    const own = chosen.filter((item) => item.file !== undefined)
    if (chosen.length + others.length === 0) report.list([], [], 'There is nothing to adopt.')
    const until = own.length === 0 ? undefined : await agreedUntil(owner, own, flags)
    if (until === 'declined') {
      report.problem('Nothing was adopted.', { event: 'declined' })
      return EXIT.failed
    }
    const work = async (drop: DescribedDrop) => {
      if (album === undefined) return
      const retainUntil = others.includes(drop) ? undefined : until
      const adopted = await adoptions.adopt(drop, { albumId: album.albumId, retainUntil }, signal)
      tellAdopted(report, drop, { ...adopted, album, retainUntil })
    }
    const failed = [
      ...tellFaults(chosen, report),
      ...(await forAllDrops([...own, ...others], { report, signal, work })),
    ]
    await followAlbums(signed, signal)
    return signal.aborted ? EXIT.interrupted : exitOf(failed)
  })
}

/** One question at most: about the retention, or about files that were not named one by one. */
async function agreedUntil(
  owner: Owner,
  drops: readonly DescribedDrop[],
  flags: AdoptFlags,
): Promise<string | 'declined' | undefined> {
  if (flags.retain !== undefined) return await retentionOf(owner, { retain: flags.retain, files: drops.length }, flags)
  if (!isWholesale(flags)) return undefined
  const bytes = drops.reduce((sum, { file }) => sum + file.size, 0)
  const question = `Adopt ${filesText(drops.length)} (${sizeText(bytes)}) into the album ${shown(flags.album)}, signed by this device?`
  return (await agrees(question, flags)) ? undefined : 'declined'
}
