/** Cancels files: in the entries, in the store, and on the server. */
import type { Environment } from '@blindkeep/client/environment'
import { ProblemError } from '@blindkeep/client/errors'
import { cancelSend, type SendState } from '@blindkeep/client/guest'
import type { Entries } from '../entries/entries.ts'
import { become } from '../entries/phases.ts'
import type { LockedUploads } from '../store/lockedUploads.ts'
import { CANCELLED, type UploadJobs } from './uploadJobs.ts'

/** `too_late`: the server has all of the file, so the file lands. */
export type Cancellation = 'done' | 'too_late'

interface CancelUpload {
  /** Resolves when the server has answered or could not be reached. A second call joins the first. */
  cancel(id: string): Promise<Cancellation>
  /** Cancels the upload and sends the file from its start. */
  sendAsNewFile(id: string): Promise<void>
  isCancelling(id: string): boolean
}

interface CancelUploadOptions {
  readonly entries: Entries
  readonly uploads: LockedUploads
  readonly jobs: UploadJobs
  readonly environment: Environment
  readonly onEnd: () => void
}

export function createCancelUpload({ entries, uploads, jobs, environment, onEnd }: CancelUploadOptions): CancelUpload {
  const underWay = new Map<string, Promise<Cancellation>>()

  function onceFor(id: string, work: () => Promise<Cancellation>): Promise<Cancellation> {
    const running = underWay.get(id)
    if (running !== undefined) return running
    const started = work().finally(() => {
      underWay.delete(id)
      onEnd()
    })
    underWay.set(id, started)
    return started
  }

  async function cancel(id: string): Promise<Cancellation> {
    jobs.abort(id, CANCELLED)
    await jobs.ended(id)
    const { phase, state } = entries.get(id) ?? {}
    // The file may have landed while the guest was asked whether to cancel it.
    if (phase === 'landed') return 'too_late'
    if (state !== undefined && (await cancelOnServer(state, environment)) === 'too_late') {
      entries.change(id, become.tooLateToCancel())
      return 'too_late'
    }
    await forget(id)
    return 'done'
  }

  async function forget(id: string): Promise<void> {
    await uploads.remove(id)
    entries.change(id, become.cancelled())
  }

  async function sendAsNewFile(id: string): Promise<Cancellation> {
    // Too late: the upload lands with the file's old content, and the new content is still to be sent.
    if ((await cancel(id)) === 'too_late') await forget(id)
    entries.change(id, become.newFile())
    return 'done'
  }

  return {
    cancel: (id) => onceFor(id, () => cancel(id)),
    async sendAsNewFile(id) {
      await onceFor(id, () => sendAsNewFile(id))
    },
    isCancelling: (id) => underWay.has(id),
  }
}

/** A server that can't be reached deletes the upload by itself a day later. */
async function cancelOnServer(state: SendState, environment: Environment): Promise<Cancellation> {
  try {
    await cancelSend(state, environment)
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.upload.session_closed') return 'too_late'
  }
  return 'done'
}
