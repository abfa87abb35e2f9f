/**
 * Every change of a file's phase.
 *
 *     chosen ⇄ unfit
 *       ↓ send
 *     waiting → preparing → waiting → sending → finishing → landed
 *
 * A file that waits, is prepared or is sent can become paused, failed or cancelled; from each of these it returns to waiting.
 * Only a file that waits can back off: it then waits for a pause to end. A chosen or unfit file fails when the link closes.
 * An entry's first phase is set where the entry is added: admission.ts, landedFiles.ts, and `discard` in fileCommands.ts.
 */
import type { SendProgress, SendState } from '@blindkeep/client/guest'
import type { Source } from '@blindkeep/client/source'
import type { FailureReason, Message } from '../messages.ts'
import type { Entries, Entry, EntryChange } from './entries.ts'
import type { Misfit } from './fit.ts'
import type { LandedFile, StoredUpload } from './guestStore.ts'

export const become = {
  /** Whether the file fits into the link's limits, before the guest sends it. */
  judged: (misfit: Misfit | undefined) => ({ phase: misfit === undefined ? 'chosen' : 'unfit', failure: misfit }),

  /** The guest sends it. */
  asked: (message: Message) => ({ phase: 'waiting', message }),

  /** The guest chooses a file again that failed or was cancelled. */
  chosenAgain: (source: Source, resumes: boolean) => ({
    ...{ source, phase: resumes ? 'waiting' : 'chosen', failure: undefined },
  }),

  preparing: () => ({ phase: 'preparing', preparedBytes: 0, failure: undefined }),

  prepared: (state: SendState) => ({ phase: 'waiting', state, totalBytes: state.size }),

  /** The file has the bytes of the stored upload. */
  compared: () => ({ phase: 'waiting', mustCompare: false }),

  sending: () => ({ phase: 'sending', failure: undefined, isRetrying: false }),

  progressed: (phase: Exclude<SendProgress['phase'], 'landed'>, bytes: number, isRetrying: boolean) => ({
    ...{ phase, sentBytes: bytes, inFlightBytes: 0, isRetrying },
  }),

  landed: (file: LandedFile) => ({
    ...{ phase: 'landed', landed: file, receipt: { is: 'fetching' }, sentBytes: file.custody.size },
    ...{ state: undefined, source: undefined, inFlightBytes: 0, isRetrying: false },
  }),

  paused: () => ({ phase: 'paused', failure: undefined, isBackingOff: false, isRetrying: false }),

  failed: (failure: FailureReason) => ({ phase: 'failed', failure }),

  /** It resumes by itself when the pause ends. */
  backingOff: (failure: FailureReason) => ({ phase: 'waiting', failure, isBackingOff: true, isRetrying: true }),

  backedOff: () => ({ isBackingOff: false }),

  /** Its upload was deleted, and the file is sent from its start. */
  newFile: () => ({ phase: 'waiting', mustCompare: false }),

  /** It stopped, and is to be sent again at once. */
  waiting: () => ({ phase: 'waiting' }),

  /** The guest, or the browser that is online again, starts it again. */
  resumed: () => ({ phase: 'waiting', failure: undefined, isBackingOff: false, isRetrying: false }),

  /** The server has all of it already, so sending it lets it land. */
  tooLateToCancel: () => ({ phase: 'waiting', failure: undefined, isBackingOff: false }),

  cancelled: () => ({
    ...{ phase: 'cancelled', state: undefined, failure: undefined, isReserved: false },
    ...{ sentBytes: 0, inFlightBytes: 0, preparedBytes: 0, isRetrying: false, isBackingOff: false },
  }),

  /** Another tab has cancelled it. */
  cancelledInOtherTab: () => ({ phase: 'cancelled', state: undefined, failure: undefined }),

  /** Another tab was sending it and has closed. */
  takenOver: ({ state, reached }: StoredUpload) => ({
    ...{ phase: 'waiting', failure: undefined, state, sentBytes: reached },
  }),
} satisfies Readonly<Record<string, (...facts: never[]) => EntryChange>>

/** Lets a file continue that is paused, failed, cancelled or backs off. Does nothing for any other. */
export function resumeEntry(entries: Entries, entry: Entry | undefined): void {
  if (entry === undefined) return
  const { id, phase, isBackingOff } = entry
  const isStopped = phase === 'paused' || phase === 'failed' || phase === 'cancelled'
  if (isStopped || isBackingOff) entries.change(id, become.resumed())
}
