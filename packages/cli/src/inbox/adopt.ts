/** `blindkeep inbox adopt`. */
import type { Album, DescribedDrop, Owner } from '@blindkeep/client/owner'
import { answerTo, spelled } from '@blindkeep/client/questions'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { OwnerFlags } from '../account/profile.ts'
import { retentionOf } from '../account/retaining.ts'
import { signedIn } from '../account/session.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit, exitOf, LocalError, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Expiry } from '../ground/options.ts'
import { filesText, shown } from '../ground/texts.ts'
import { openAdoptions } from './adoptions.ts'
import { albumOf, type ChoiceFlags, isWholesale, openInbox, requireChoice, select, selectionOf } from './inbox.ts'
import { forAllDrops, tellAdopted, tellFaults } from './saveSteps.ts'

interface AdoptFlags extends OwnerFlags, ChoiceFlags {
  /** One of these two. */
  readonly album?: string
  readonly albumBy?: string
  readonly retain?: Expiry
}

/** A device signs for each drop, as this profile was shown it. */
export async function adopt(ids: readonly string[], flags: AdoptFlags): Promise<Exit> {
  requireChoice(ids, flags)
  if (flags.album === undefined && flags.albumBy === undefined)
    throw new UsageError('say which album: --album ALBUM, or --album-by LABEL.')
  const signed = await signedIn(flags)
  const { owner, report } = signed
  return await interruptible(async (signal) => {
    const albums = await albumsOf(owner, flags)
    const adoptions = openAdoptions(signed)
    const inbox = openInbox(signed)
    const selection = await selectionOf(ids, flags, { owner, items: () => inbox.read(signal) })
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
      const retainUntil = others.includes(drop) ? undefined : until
      const albumId = () => albums.of(drop).albumId
      const adopted = await adoptions.adopt(drop, { albumId, retainUntil }, signal)
      const album = albums.all.find((one) => one.albumId === adopted.albumId)
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

/**
 * The album of each drop. By an answer, only one that is called so exists: a guest begins none, and no id counts.
 * Throws `LocalError`.
 */
async function albumsOf(owner: Owner, { album: given, albumBy: label = '' }: AdoptFlags): Promise<Albums> {
  const one = await albumOf(owner, given)
  if (one !== undefined) return { all: [one], of: () => one }
  const all = await owner.albums()
  const of = ({ file }: DescribedDrop) => {
    const answer = answerTo(file.fields, label)
    if (answer === undefined) throw new LocalError(`Its guest did not answer “${label}”. Name an album with --album.`)
    const [album, ...others] = all.filter(({ name }) => name !== undefined && spelled(name) === spelled(answer))
    if (album !== undefined && others.length === 0) return album
    const count = album === undefined ? 'No album is' : 'Several albums are'
    throw new LocalError(`${count} called “${answer}”. Create or rename one, or name one with --album.`)
  }
  return { all, of }
}

interface Albums {
  /** Those into which files may go. */
  readonly all: readonly Album[]
  of(drop: DescribedDrop): Album
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
  const { album, albumBy = '' } = flags
  const where = album === undefined ? `albums by ${shown(albumBy)}` : `the album ${shown(album)}`
  const question = `Adopt ${filesText(drops.length)} (${sizeText(bytes)}) into ${where}, signed by this device?`
  return (await agrees(question, flags)) ? undefined : 'declined'
}
