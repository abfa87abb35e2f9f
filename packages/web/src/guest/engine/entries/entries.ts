/** Files of this visit, with those of other tabs and visits, as they were added. Each change makes a new entry. */
import type { Batch, SendState } from '@blindkeep/client/guest'
import type { Source } from '@blindkeep/client/source'
import type { FailureReason, Message, Phase, ReceiptStatus } from '../../ground/messages.ts'
import type { FileIdentity } from '../files/fileIdentity.ts'
import type { LandedFile } from '../store/guestStore.ts'

export const NO_MESSAGE: Message = { note: '', sender: '' }

export interface Entry extends FileIdentity {
  readonly id: string
  /** Rises with every change. */
  readonly revision: number
  /** Media type, empty when the browser knows none. */
  readonly type: string
  /** Absent for a file that landed in an earlier visit, or from another tab. */
  readonly source?: Source | undefined
  readonly message: Message
  /** The go that the file belongs to. Absent before the guest sends the file. */
  readonly batch?: Batch | undefined
  /** Changed only by `become` in phases.ts. */
  readonly phase: Phase
  /** Sealed bytes that are hashed, while the file is prepared. */
  readonly preparedBytes: number
  /** Sealed bytes that the server has acknowledged. */
  readonly sentBytes: number
  /** Bytes on their way beyond the acknowledged ones. After a cut they are sent again; the progress stands still. */
  readonly inFlightBytes: number
  /** All sealed bytes of the file; an estimate before it is sealed. */
  readonly totalBytes: number
  readonly isRetrying: boolean
  /** True until the pause ends that follows a busy server or a lost connection. */
  readonly isBackingOff: boolean
  readonly failure?: FailureReason | undefined
  /** Milliseconds since 1970: when tries began to fail, if nothing of the file has arrived since. */
  readonly troubledSince?: number | undefined
  /** Milliseconds since 1970: when the next try begins, while `isBackingOff`. */
  readonly triesAt?: number | undefined
  /** SECRET. Present once the file is prepared. */
  readonly state?: SendState | undefined
  /** The guest chose the file again and its time differs: its bytes must be compared before it is sent. */
  readonly mustCompare: boolean
  /** Its content is of no kind that the owner wants. Undefined before a look into the file. */
  readonly looksWrong?: boolean | undefined
  /** The file uses up some of the link's limits, and the server's last answer about the link does not count it yet. */
  readonly isReserved: boolean
  readonly receipt?: ReceiptStatus | undefined
  /** What a proof needs is in memory (sentFiles.ts). */
  readonly hasKey?: boolean | undefined
  readonly proofFile?: string | undefined
  /** Present once the file has landed, even when the browser could not store it. */
  readonly landed?: LandedFile | undefined
  /** RFC 3339; only for a file that landed before this visit. */
  readonly landedAt?: string | undefined
}

export type NewEntry = Pick<Entry, 'id' | 'totalBytes' | keyof FileIdentity> & Partial<Entry>
export type EntryChange = Partial<Omit<Entry, 'id' | 'revision' | keyof FileIdentity>>

export interface Entries {
  add(entry: NewEntry): Entry
  get(id: string): Entry | undefined
  /** Does nothing when the entry has been removed. */
  change(id: string, change: EntryChange): void
  remove(id: string): void
  all(): IterableIterator<Entry>
  find(isWanted: (entry: Entry) => boolean): Entry | undefined
  count(isWanted: (entry: Entry) => boolean): number
}

export function createEntries(onChange: (before: Entry | undefined, after: Entry | undefined) => void): Entries {
  const entries = new Map<string, Entry>()
  return {
    add(given) {
      const entry: Entry = {
        revision: 0,
        type: '',
        message: NO_MESSAGE,
        phase: 'chosen',
        preparedBytes: 0,
        sentBytes: 0,
        inFlightBytes: 0,
        isRetrying: false,
        isBackingOff: false,
        mustCompare: false,
        isReserved: false,
        ...given,
      }
      entries.set(entry.id, entry)
      onChange(undefined, entry)
      return entry
    },
    get: (id) => entries.get(id),
    change(id, change) {
      const before = entries.get(id)
      if (before === undefined) return
      const after = { ...before, ...change, revision: before.revision + 1 }
      entries.set(id, after)
      onChange(before, after)
    },
    remove(id) {
      const before = entries.get(id)
      if (entries.delete(id)) onChange(before, undefined)
    },
    all: () => entries.values(),
    find(isWanted) {
      for (const entry of entries.values()) if (isWanted(entry)) return entry
      return undefined
    },
    count(isWanted) {
      let count = 0
      for (const entry of entries.values()) if (isWanted(entry)) count++
      return count
    },
  }
}
