/** The owner of the link hears why this page holds files back. */
import type { UploadLink } from '@blindkeep/client/guest'
import { HELD_BACK, type HeldBack } from '@blindkeep/protocol/schemas/links'
import type { Entry } from '../entries/entries.ts'

export interface HeldBackNotes {
  /** The reasons that the server has noted. */
  now(): readonly HeldBack[]
  follow(before: Entry | undefined, after: Entry | undefined): void
  /** The link is open and takes no more files. A guest who has sent files here looks at it again: not for them. */
  meetFull(why: HeldBack): void
}

interface HeldBackNotesOptions {
  /** As it was opened last. */
  readonly link: () => Pick<UploadLink, 'noteHeldBack'> | undefined
  readonly onChange: () => void
}

export function createHeldBackNotes({ link, onChange }: HeldBackNotesOptions): HeldBackNotes {
  /** Once a visit, also when the link is opened again: each opening counts for itself. */
  const asked = new Set<HeldBack>()
  const noted = new Set<HeldBack>()

  async function note(why: HeldBack): Promise<void> {
    const opened = link()
    if (opened === undefined || asked.has(why)) return
    asked.add(why)
    if (!(await opened.noteHeldBack(why))) return
    noted.add(why)
    onChange()
  }

  return {
    now: () => [...noted],
    meetFull: (why) => void note(why),
    follow(before, after) {
      if (after === undefined || after.failure === before?.failure) return
      const why = HELD_BACK.find((reason) => reason === after.failure)
      // The server has counted what it refused itself.
      const isOfPage = after.phase === 'unfit' || before?.phase === 'preparing'
      if (why !== undefined && isOfPage) void note(why)
    },
  }
}
