/** Works through the files that the guest sends: seals one at a time and sends a few at once. */

import type { Entry } from '../entries/entries.ts'
import { become } from '../entries/phases.ts'
import { type Cancellation, createCancelUpload } from './cancelUpload.ts'
import { createPrepareUpload } from './prepareUpload.ts'
import { createSendUpload, type SendUploadOptions } from './sendUpload.ts'
import { createStopUpload } from './stopUpload.ts'
import { createUploadJobs, type JobKind, PAUSED } from './uploadJobs.ts'
import { createUploadOrder } from './uploadOrder.ts'

/** Sealing keeps one core busy, while other files are sent. */
const MAX_PREPARING = 1
/** While one file waits for an answer, others use the connection. More would only share it. */
const MAX_SENDING = 3

export interface Uploads {
  /** Starts every job that may start now. */
  pump(): void
  pause(id: string): void
  cancel(id: string): Promise<Cancellation>
  sendAsNewFile(id: string): Promise<void>
}

interface UploadsOptions extends SendUploadOptions {
  readonly maySend: () => boolean
  /** Called before any job starts: fails the files that wait for a link that accepts no more files. */
  readonly failHopeless: () => void
  /** The link is closed, or less of its limits is left than its last answer said. */
  readonly onLinkChanged: () => void
}

export function createUploads(options: UploadsOptions): Uploads {
  const { entries, passphrase, link } = options
  const environment = options.environmentFor(() => undefined)
  const work = { preparing: createPrepareUpload(options), sending: createSendUpload(options) }
  const stop = createStopUpload({ ...options, environment, onBackedOff: pump })
  const jobs = createUploadJobs({ onError: stop, onEnd: pump })
  const { cancel, sendAsNewFile, isCancelling } = createCancelUpload({ ...options, environment, jobs, onEnd: pump })
  const order = createUploadOrder({
    entries,
    isBusy: (id) => jobs.isRunning(id) || isCancelling(id),
    canCreate: () => link() !== undefined && passphrase.isReady(),
  })

  function pump(): void {
    options.failHopeless()
    if (!options.maySend()) return
    if (jobs.count('preparing') < MAX_PREPARING) start('preparing', order.nextToPrepare())
    // Only one file tries a new passphrase, because the server counts wrong passphrases.
    while (jobs.count('sending') < (passphrase.isUntested() ? 1 : MAX_SENDING)) {
      const next = order.nextToSend()
      if (next === undefined) return
      start('sending', next)
    }
  }

  function start(kind: JobKind, entry: Entry | undefined): void {
    const source = entry?.source
    if (entry === undefined || source === undefined) return
    jobs.start(kind, entry.id, (signal) => work[kind]({ entry, source, signal }))
  }

  return {
    pump,
    pause(id) {
      if (jobs.abort(id, PAUSED)) return
      if (entries.get(id)?.phase === 'waiting') entries.change(id, become.paused())
    },
    cancel,
    sendAsNewFile,
  }
}
