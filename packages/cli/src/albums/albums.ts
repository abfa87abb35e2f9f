/** `album create`, `album list`, `album rename`. */
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { chosenAlbum } from '../assets/chosen.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { shrinking } from '../ground/table.ts'
import { shortId, shown, timeText } from '../ground/texts.ts'

export async function createAlbum(name: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { albumId, createdAt } = await owner.createAlbum({ name })
  report.result(`The album ${shown(name)} is created: ${albumId}`, {
    event: 'created',
    album_id: albumId,
    name,
    created_at: createdAt,
  })
  return EXIT.done
}

export async function renameAlbum(given: string, name: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { albumId } = chosenAlbum(await owner.albums(), given)
  await owner.nameAlbum(albumId, name)
  const is = name.trim() === '' ? 'has no name now' : `is now ${shown(name)}`
  report.result(`The album ${shortId(albumId)} ${is}.`, { event: 'named', album_id: albumId, name })
  return EXIT.done
}

export async function listAlbums(flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const albums = await owner.albums()
  const rows = albums.map(({ albumId, name, createdAt }) => ({
    cells: [shortId(albumId), timeText(createdAt), shown(name ?? '')],
    fact: { album_id: albumId, name, created_at: createdAt },
  }))
  report.list(
    ['ID', 'CREATED', shrinking('NAME')],
    rows,
    'There are no albums. Create one: blindkeep album create NAME',
  )
  const faulty = albums.filter(({ nameFault }) => nameFault !== undefined)
  for (const { albumId } of faulty) {
    const message = `The name of the album ${shortId(albumId)} was not written with this account: the server, or something in front of it, changed it. Put nothing into it.`
    report.problem(message, { event: 'failed', reason: 'name_unreadable', album_id: albumId, message })
  }
  return faulty.length === 0 ? EXIT.done : EXIT.untrusted
}
