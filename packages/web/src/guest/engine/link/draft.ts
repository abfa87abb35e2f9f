/**
 * What the guest has written for the owner: the page's fields show it, and it goes with what is sent next, in this
 * visit also with files that are added after the first ones have arrived. The store keeps it, as it keeps unfinished
 * files, until all files of the link have arrived.
 */
import { oneAtATime } from '../../../common/work/oneAtATime.ts'
import type { Message } from '../../ground/messages.ts'
import { type Entries, type Entry, NO_MESSAGE } from '../entries/entries.ts'
import { isEmpty, isSameMessage, messageOf } from '../files/sentMessages.ts'
import type { GuestStore } from '../store/guestStore.ts'

export interface Draft {
  message(): Message
  /** Rises when the message is forgotten here, too. */
  turn(): number
  /** Reads what an earlier visit has stored. */
  load(): Promise<void>
  write(message: Message): void
  forget(): void
  /** Call it with every change of an entry: the store forgets the message when the last file is done. */
  follow(before: Entry | undefined, after: Entry | undefined): void
  /** The store forgets the message, unless a file that has not arrived may still need it, in any tab. */
  forgetIfDone(): Promise<void>
}

interface DraftOptions {
  readonly linkId: string
  readonly store: GuestStore
  readonly entries: () => Entries
  readonly nowMs: () => number
}

export function createDraft({ linkId, store, entries, nowMs }: DraftOptions): Draft {
  let message = NO_MESSAGE
  let turn = 0
  /** What is to be stored. */
  let kept = NO_MESSAGE
  const save = oneAtATime(() =>
    isEmpty(kept) ? store.removeMessage(linkId) : store.putMessage({ linkId, ...kept, keptAt: nowMs() }),
  )

  function keep(written: Message): void {
    kept = written
    void save()
  }

  function write(written: Message): void {
    message = written
    keep(written)
  }

  const isDoneHere = () => entries().find(({ phase }) => phase !== 'landed') === undefined

  async function forgetIfDone(): Promise<void> {
    if (!isDoneHere()) return
    const [uploads, planned] = [await store.uploads(linkId), await store.planned(linkId)]
    const stored = (await store.message(linkId)) ?? NO_MESSAGE
    if (uploads.length > 0 || planned.length > 0 || !isDoneHere()) return
    // What another tab has written since is for its own files.
    if (isSameMessage(stored, kept)) keep(NO_MESSAGE)
  }

  return {
    message: () => message,
    turn: () => turn,
    async load() {
      message = messageOf((await store.message(linkId)) ?? NO_MESSAGE)
      kept = message
    },
    write,
    forget() {
      turn++
      write(NO_MESSAGE)
    },
    follow(before, after) {
      if (isUnderWay(before) && (after === undefined || after.phase === 'landed')) void forgetIfDone()
    },
    forgetIfDone,
  }
}

/** The guest has sent the file, and it has not arrived. */
function isUnderWay(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.phase !== 'chosen' && entry.phase !== 'unfit' && entry.phase !== 'landed'
}
