/** Which file is prepared next, and which is sent next. */
import type { Entries, Entry } from '../entries/entries.ts'

/** Enough that sending never waits for sealing. */
const MAX_PREPARED_AHEAD = 3

interface UploadOrder {
  nextToPrepare(): Entry | undefined
  nextToSend(): Entry | undefined
}

interface UploadOrderOptions {
  readonly entries: Entries
  /** A job of the file runs, or the file is being cancelled. */
  readonly isBusy: (id: string) => boolean
  /** Whether a new session can be created: the link is open and its passphrase, if it needs one, is given. */
  readonly canCreate: () => boolean
}

export function createUploadOrder({ entries, isBusy, canCreate }: UploadOrderOptions): UploadOrder {
  const isFree = ({ id, source, phase, isBackingOff }: Entry) =>
    phase === 'waiting' && source !== undefined && !isBackingOff && !isBusy(id)
  const isPrepared = (entry: Entry) => isFree(entry) && entry.state !== undefined && !entry.mustCompare
  const canPrepare = (entry: Entry) => isFree(entry) && (entry.state === undefined ? canCreate() : entry.mustCompare)
  /** A session that exists needs neither an open link nor its passphrase. */
  const canSend = (entry: Entry) => isPrepared(entry) && (entry.state?.uploadId !== undefined || canCreate())
  return {
    nextToPrepare: () => (entries.count(isPrepared) < MAX_PREPARED_AHEAD ? entries.find(canPrepare) : undefined),
    nextToSend: () => entries.find(canSend),
  }
}
