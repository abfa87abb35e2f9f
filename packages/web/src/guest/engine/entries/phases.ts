/**
 * Every change of a file's phase.
 *
 *     chosen ⇄ unfit
 *       ↓ the guest sends the file
 *     waiting → preparing → waiting → sending ⇄ finishing → landed
 *
 * Besides these:
 * - waiting, preparing, sending, finishing → paused, failed, cancelled; a job that stops can also return its file to
 *   waiting (stopUpload.ts)
 * - paused, failed, cancelled → waiting, when the guest resumes, retries, or is too late to cancel, or when another tab
 *   that was sending the file closes
 * - failed, cancelled → chosen, when the guest chooses the file again (admission.ts); a failed file that was prepared
 *   goes to waiting
 * - chosen, unfit, paused → failed, when the link closes (closedLink.ts)
 * - waiting, paused → chosen, unfit, for a file that is not sealed, when the link asks for what was not answered, or
 *   wants other kinds of files (asked.ts); preparing → unfit
 * - paused, failed → cancelled, here or in another tab that was sending the file
 *
 * A job that stops because of a trouble (SendTrouble: no connection, for example) backs off (stopUpload.ts): its file
 * is waiting until a pause ends. A file that was prepared in an earlier visit goes from waiting directly to sending, or
 * is compared first, in the phase preparing. An entry's first phase is set where the entry is added: admission.ts,
 * landedFiles.ts, and `discard` in fileCommands.ts.
 */
import type { Batch, SendProgress, SendState } from '@blindkeep/client/guest'
import type { Source } from '@blindkeep/client/source'
import type { FailureReason, Message, Trouble } from '../../ground/messages.ts'
import type { LandedFile, StoredUpload } from '../store/guestStore.ts'
import type { Entries, Entry, EntryChange } from './entries.ts'

const UNTROUBLED = { failure: undefined, troubledSince: undefined, triesAt: undefined, isRetrying: false } as const

const troubled = ({ reason, since, until }: Trouble) =>
  ({ failure: reason, troubledSince: since, triesAt: until, isRetrying: true }) as const

type SentSoFar = Pick<Entry, 'sentBytes' | 'inFlightBytes'>

export const become = {
  /** Whether the file fits into the link's limits, before the guest sends it. */
  judged: (misfit: FailureReason | undefined) => ({
    phase: misfit === undefined ? 'chosen' : 'unfit',
    failure: misfit,
  }),

  /** The guest sends the file. */
  submitted: (message: Message, batch: Batch) => ({ phase: 'waiting', message, batch }),

  /** A failed or cancelled file is chosen again. If nothing of it is kept, it belongs to the next go. */
  chosenAgain: (source: Source, resumes: boolean) => ({
    ...{ source, phase: resumes ? 'waiting' : 'chosen', failure: undefined },
    ...(resumes ? {} : { batch: undefined }),
  }),

  /** The guest sends it again with answers, or it is of no kind that the owner wants. */
  heldBack: (misfit: FailureReason | undefined) => ({
    ...{ phase: misfit === undefined ? 'chosen' : 'unfit', isBackingOff: false, ...UNTROUBLED },
    failure: misfit,
  }),

  preparing: () => ({ phase: 'preparing', preparedBytes: 0, failure: undefined, isRetrying: false }),

  prepared: (state: SendState) => ({ phase: 'waiting', state, totalBytes: state.size }),

  /** The file has the bytes of the stored upload. */
  compared: () => ({ phase: 'waiting', mustCompare: false }),

  /** A trouble stays until the server has taken something. */
  sending: () => ({ phase: 'sending' }),

  /** The progress falls only when the server has less than before. */
  progressed: (phase: Exclude<SendProgress['phase'], 'landed'>, bytes: number, before: SentSoFar) => ({
    ...{ phase, sentBytes: bytes },
    inFlightBytes: bytes < before.sentBytes ? 0 : Math.max(0, before.sentBytes + before.inFlightBytes - bytes),
  }),

  troubled,

  untroubled: () => UNTROUBLED,

  landed: (file: LandedFile) => ({
    ...{ phase: 'landed', landed: file, receipt: { is: 'fetching' }, sentBytes: file.custody.size },
    ...{ state: undefined, source: undefined, inFlightBytes: 0, ...UNTROUBLED },
  }),

  paused: () => ({ phase: 'paused', isBackingOff: false, ...UNTROUBLED }),

  failed: (failure: FailureReason) => ({ phase: 'failed', ...UNTROUBLED, failure }),

  /** The engine sends the file again when the pause ends. */
  backingOff: (trouble: Trouble) => ({ phase: 'waiting', isBackingOff: true, ...troubled(trouble) }),

  backedOff: () => ({ isBackingOff: false, triesAt: undefined }),

  /** The file's upload was deleted, and the file is sent from its start. */
  newFile: () => ({ phase: 'waiting', mustCompare: false }),

  /** The file's job stopped, and the engine starts the file again at once. */
  waiting: () => ({ phase: 'waiting', ...UNTROUBLED }),

  /** The guest starts the file again. */
  resumed: () => ({ phase: 'waiting', isBackingOff: false, ...UNTROUBLED }),

  /** The server has all bytes of the file already, so sending continues until the file lands. */
  tooLateToCancel: () => ({ phase: 'waiting', isBackingOff: false, ...UNTROUBLED }),

  /** Here, or in another tab that was sending the file. */
  cancelled: () => ({
    ...{ phase: 'cancelled', state: undefined, isReserved: false, ...UNTROUBLED },
    ...{ sentBytes: 0, inFlightBytes: 0, preparedBytes: 0, isBackingOff: false },
  }),

  /** Another tab was sending the file, and has closed. */
  takenOver: ({ state, sentBytes }: StoredUpload) => ({
    ...{ phase: 'waiting', failure: undefined, state, sentBytes },
  }),
} satisfies Readonly<Record<string, (...facts: never[]) => EntryChange>>

/** Lets a paused, failed, cancelled or backing-off file continue. Does nothing for a file in another phase. */
export function resumeEntry(entries: Entries, entry: Entry | undefined): void {
  if (entry === undefined) return
  const { id, phase, isBackingOff } = entry
  const isStopped = phase === 'paused' || phase === 'failed' || phase === 'cancelled'
  if (isStopped) entries.change(id, become.resumed())
  // What keeps it back may still do so.
  else if (isBackingOff) entries.change(id, become.backedOff())
}
