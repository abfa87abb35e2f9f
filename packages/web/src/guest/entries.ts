/** The files of this visit, and those that landed in earlier ones, in the order in which they came. One writer: each change makes a new entry. */
import type { SendState } from '@blindkeep/client/guest'
import type { Source } from '@blindkeep/client/source'
import type { LandedFile } from './keep.ts'
import type { FailureReason, Message, Phase, ReceiptStanding } from './messages.ts'

/** What tells one file from another without reading it. */
export interface FileIdentity {
  readonly name: string
  /** With `/` between, empty for a file that was chosen by itself. */
  readonly folder: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly lastModified: number
}

export interface Entry extends FileIdentity {
  readonly id: string
  /** Rises with every change. */
  readonly revision: number
  /** Media type, empty when the browser knows none. */
  readonly type: string
  /** Absent for what landed in an earlier visit. */
  readonly source?: Source | undefined
  readonly message: Message
  readonly phase: Phase
  /** Sealed bytes that are hashed, while it is prepared. */
  readonly prepared: number
  /** Sealed bytes that the server has acknowledged. */
  readonly sent: number
  /** Of the chunk on its way. */
  readonly inFlight: number
  /** Sealed bytes in all; before it is sealed, as many as there will usually be. */
  readonly of: number
  readonly isRetrying: boolean
  /** Until a pause ends that the server or the line has asked for. */
  readonly isResting: boolean
  readonly failure?: FailureReason | undefined
  /** SECRET. There once the file is prepared. */
  readonly state?: SendState | undefined
  /** Chosen again, and something says that it may be another file: to be compared before it goes on. */
  readonly mustCompare: boolean
  /** It takes up a place of the link's that the last answer about the link does not count yet. */
  readonly isReserved: boolean
  readonly receipt?: ReceiptStanding | undefined
  /** There once it has landed; in memory too, for a browser that could not keep it. */
  readonly landed?: LandedFile | undefined
  /** RFC 3339; of an earlier visit. */
  readonly landedAt?: string | undefined
}

export type NewEntry = Pick<Entry, 'id' | 'of' | keyof FileIdentity> & Partial<Entry>
export type EntryChange = Partial<Omit<Entry, 'id' | 'revision' | keyof FileIdentity>>

export interface Entries {
  add(entry: NewEntry): Entry
  get(id: string): Entry | undefined
  /** Nothing when it has been removed meanwhile. */
  change(id: string, change: EntryChange): void
  remove(id: string): void
  all(): IterableIterator<Entry>
  find(isWanted: (entry: Entry) => boolean): Entry | undefined
  count(isWanted: (entry: Entry) => boolean): number
}

/** `onChange` is told the entry as it was and as it is. */
export function createEntries(onChange: (before: Entry | undefined, after: Entry | undefined) => void): Entries {
  const entries = new Map<string, Entry>()
  return {
    add(given) {
      const entry: Entry = {
        revision: 0,
        type: '',
        message: { note: '', sender: '' },
        phase: 'chosen',
        prepared: 0,
        sent: 0,
        inFlight: 0,
        isRetrying: false,
        isResting: false,
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
