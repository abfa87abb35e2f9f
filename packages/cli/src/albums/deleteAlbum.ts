/** `album delete`: an empty album, or one with all its files. */
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { chosenAlbum } from '../assets/chosen.ts'
import { describeAssets } from '../assets/described.ts'
import { agreesToLose, deleteEach } from '../assets/rm.ts'
import { tellUndo } from '../bin/undo.ts'
import { accountAssets } from '../changes/feed.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { filesText, shortId, shown } from '../ground/texts.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'

interface DeleteAlbumFlags extends OwnerFlags {
  readonly withFiles?: boolean
}

export async function deleteAlbum(given: string, flags: DeleteAlbumFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { owner, report } = session
  return await interruptible(async (signal) => {
    const { albumId, name } = chosenAlbum(await owner.albums(), given)
    const all = await accountAssets(session, signal)
    const files = all.filter((asset) => asset.albumId === albumId)
    const album = `the album ${shown(name ?? shortId(albumId))}`
    const bytes = files.reduce((sum, { envelope }) => sum + envelope.plaintext_size, 0)
    const contents = `${filesText(files.length)} (${sizeText(bytes)})`
    if (files.length > 0 && flags.withFiles !== true) {
      const message = `${album} has ${contents}. Delete it with them: blindkeep album delete ${shortId(albumId)} --with-files`
      report.problem(message, { event: 'failed', reason: 'album_not_empty', album_id: albumId, message })
      return EXIT.failed
    }
    const what = files.length === 0 ? `${album}, which is empty` : `${album} and its ${contents} from the account`
    const undo =
      files.length === 0
        ? 'This cannot be undone.'
        : 'Its files can be restored from the bin for a time, and bring it back.'
    const chosen = files.map((asset) => ({ asset }))
    if (!(await agreesToLose(session, { question: `Delete ${what}? ${undo}`, chosen, signal }, flags))) {
      report.problem('Nothing was deleted.', { event: 'declined' })
      return EXIT.failed
    }
    const outcomes = createOutcomes(report)
    const described = await describeAssets(session, files, { all, signal })
    const deleted = await deleteEach(session, described, { signal, outcomes })
    await followAlbums(session, signal)
    if (outcomes.failed().length > 0) {
      const message = `${album} stays, because it still has files.`
      report.problem(message, { event: 'failed', reason: 'album_not_empty', album_id: albumId, message })
      return outcomes.exit()
    }
    await owner.deleteAlbum(albumId)
    report.result(`${album[0]?.toUpperCase()}${album.slice(1)} is deleted.`, {
      event: 'album_deleted',
      album_id: albumId,
      name,
    })
    await tellUndo(session, deleted)
    return EXIT.done
  })
}
