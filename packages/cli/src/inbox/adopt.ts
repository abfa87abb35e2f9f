/** `blindkeep inbox adopt`. */
import type { DescribedDrop } from '@blindkeep/client/owner'
import type { OwnerFlags } from '../account/profile.ts'
import { retentionOf } from '../account/retaining.ts'
import { signedIn } from '../account/session.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { EXIT, type Exit, exitOf } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Expiry } from '../ground/options.ts'
import { filesText } from '../ground/texts.ts'
import { openAdoptions } from './adoptions.ts'
import { albumOf, openInbox, requireOneOf, select } from './inbox.ts'
import { counted, forEachDrop, tellAdopted, tellFaults } from './saving.ts'

export interface AdoptFlags extends OwnerFlags {
  readonly album: string
  readonly batch?: string
  readonly retain?: Expiry
}

/** A device signs for each drop, as this profile was shown it. */
export async function adopt(ids: readonly string[], flags: AdoptFlags): Promise<Exit> {
  requireOneOf({ ids: ids.length > 0, '--batch': flags.batch !== undefined })
  const signed = await signedIn(flags)
  const { owner, report } = signed
  return await interruptible(async (signal) => {
    const album = await albumOf(owner, flags.album)
    const adoptions = openAdoptions(signed)
    const inbox = openInbox(signed)
    const items = await inbox.read(signal)
    const inInbox = new Set<string>(items.map(({ dropId }) => dropId))
    const begun = (await adoptions.begun()).filter(({ dropId }) => !inInbox.has(dropId))
    const all = [...items, ...begun]
    const chosen = select(all, { ids: await inbox.withoutLeft(ids, all), batch: flags.batch })
    // Of what an earlier call had begun: those files have left the inbox and have no signature.
    const others = begun.filter(({ dropId }) => !chosen.some((item) => item.dropId === dropId))
    if (others.length > 0)
      report.aside(`${filesText(others.length)} that an earlier call has begun to adopt will be finished, too.`)
    const own = chosen.filter((item) => item.file !== undefined)
    const until =
      flags.retain && own.length > 0
        ? await retentionOf(owner, { retain: flags.retain, files: own.length }, flags)
        : undefined
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
    const drops = [...own, ...others]
    const failed = [
      ...tellFaults(chosen, report),
      ...(await forEachDrop(drops, { report, signal, work: counted(report, drops.length, work) })),
    ]
    await followAlbums(signed, signal)
    return signal.aborted ? EXIT.interrupted : exitOf(failed)
  })
}
