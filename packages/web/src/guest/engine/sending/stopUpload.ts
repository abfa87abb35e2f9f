/** After a file's job stopped early: a pause, another try, or a failure that the guest sees. */
import type { Environment } from '@blindkeep/client/environment'
import { ProblemError, SendError, type SendTrouble } from '@blindkeep/client/errors'
import { forNewSession } from '@blindkeep/client/guest'
import { hasMoved } from '../../../common/address/hasMoved.ts'
import type { FailureReason } from '../../ground/messages.ts'
import type { Entries, Entry } from '../entries/entries.ts'
import { failureOf, isTrouble } from '../entries/failures.ts'
import { become } from '../entries/phases.ts'
import type { Passphrase } from '../link/passphrase.ts'
import { CANCELLED, PAUSED } from './uploadJobs.ts'

/** The client itself has already retried for minutes. */
const BACK_OFF_MS = 60_000

const NOTHING_SENT = { sentBytes: 0, inFlightBytes: 0, isReserved: false } as const

interface StopUploadOptions {
  readonly entries: Entries
  readonly environment: Environment
  readonly passphrase: Passphrase
  /** The link is closed, or less of its limits is left than its last answer said. */
  readonly onLinkChanged: () => void
  /** A file has waited long enough to be tried again. */
  readonly onBackedOff: () => void
}

export function createStopUpload(options: StopUploadOptions): (id: string, error: unknown) => void {
  const { entries, environment, passphrase, onLinkChanged, onBackedOff } = options
  /** Files whose session the server has deleted once: the first time, such a file restarts by itself. */
  const restartedOnce = new Set<string>()

  function retriesAtOnce(id: string, error: unknown): boolean {
    const reason = error instanceof SendError ? error.reason : undefined
    if (reason === 'passphrase_refused') passphrase.wasRefusedFor(id)
    const isFirstRestart = reason === 'session_unknown' && !restartedOnce.has(id)
    if (isFirstRestart) restartedOnce.add(id)
    return reason === 'passphrase_refused' || isFirstRestart
  }

  function failureAfter({ state }: Entry, error: unknown): FailureReason {
    const reason = error instanceof SendError ? error.reason : undefined
    if (reason === 'link_closed' || reason === 'link_full' || hasMoved(error)) onLinkChanged()
    // Before a file is sealed there is nothing to compare it with: the browser failed to read it.
    return reason === 'file_changed' && state === undefined ? 'unreadable' : failureOf(error)
  }

  function backOff({ id, troubledSince }: Entry, reason: SendTrouble, pauseMs: number): void {
    const now = Number(environment.now())
    entries.change(id, become.backingOff({ reason, since: troubledSince ?? now, until: now + pauseMs }))
    void environment.wait(pauseMs).then(() => {
      if (entries.get(id)?.isBackingOff === true) entries.change(id, become.backedOff())
      onBackedOff()
    })
  }

  return (id, error) => {
    const entry = entries.get(id)
    if (entry === undefined || error === CANCELLED) return
    entries.change(id, { preparedBytes: 0, isRetrying: false, failure: undefined })
    if (error instanceof SendError && error.remedy === 'restart' && entry.state !== undefined)
      entries.change(id, { state: forNewSession(entry.state, environment), ...NOTHING_SENT })
    if (error === PAUSED) return entries.change(id, become.paused())
    if (retriesAtOnce(id, error)) return entries.change(id, become.waiting())
    const failure = failureAfter(entry, error)
    if (isTrouble(failure)) backOff(entry, failure, pauseMsAfter(error))
    else entries.change(id, become.failed(failure))
  }
}

function pauseMsAfter(error: unknown): number {
  const cause = error instanceof Error ? error.cause : undefined
  const retryAfterSeconds = cause instanceof ProblemError ? (cause.retryAfterSeconds ?? 0) : 0
  return Math.max(BACK_OFF_MS, retryAfterSeconds * 1000)
}
