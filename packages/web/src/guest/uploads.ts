/** Works through the files that were asked to be sent: seals one at a time, sends a few at once, and puts each away where it belongs when it stops. */
import type { Environment } from '@blindkeep/client/environment'
import { ProblemError, SendError } from '@blindkeep/client/errors'
import {
  cancelSend,
  forNewSession,
  type Landed,
  type PrepareOptions,
  requireSamePlaintext,
  type SendProgress,
  type SendState,
  send,
  type UploadLink,
  withPassphrase,
} from '@blindkeep/client/guest'
import type { DropCustody } from '@blindkeep/client/receipts'
import type { Source } from '@blindkeep/client/source'
import type { Entries, Entry } from './entries.ts'
import { failureOf } from './failures.ts'
import type { Keep } from './keep.ts'
import type { FailureReason } from './messages.ts'
import type { Passphrase } from './passphrase.ts'
import { sealedNameOf } from './sealedName.ts'
import type { TabLocks } from './tabLocks.ts'

/** Sealing keeps one core busy, and hides behind the sending of others. */
const MAX_PREPARING = 1
/** Hides the answers' latency behind each other; more would share the same line. */
const MAX_SENDING = 3
/** Sealed and not yet on their way: enough that the line never waits. */
const MAX_PREPARED_AHEAD = 3
/** After the client has tried for minutes, while the page is open. */
const REST_MS = 60_000
const INSTANTS_END_MS = Date.UTC(10_000, 0)

const PAUSED = Symbol('paused')
const CANCELLED = Symbol('cancelled')

export type Cancelled = 'done' | 'too_late'

export interface Uploads {
  /** Begins whatever may begin. */
  pump(): void
  pause(id: string): void
  /** Resolves when the server has been told, as far as it can be; `too_late` when it has all of the file by then. */
  cancel(id: string): Promise<Cancelled>
  /** What was sealed and begun of it is thrown away, and the file is sealed again. */
  asNewFile(id: string): Promise<void>
  /** Goes on with an upload of an earlier visit, if no other tab does. */
  takeOver(id: string): Promise<boolean>
}

export interface UploadsOptions {
  readonly linkId: string
  readonly entries: Entries
  /** `onSent` is told how much of the chunk on its way has gone. */
  readonly environmentFor: (onSent: (bytes: number) => void) => Environment
  readonly keep: Keep
  readonly locks: TabLocks
  readonly link: () => UploadLink | undefined
  readonly passphrase: Passphrase
  /** Whether anything may be sent at all. */
  readonly maySend: () => boolean
  /** Called before anything is begun, as what waits for a link that takes nothing any more would wait for ever. */
  readonly refuseWhatWaits: () => void
  readonly onLanded: (id: string, custody: DropCustody) => void
  /** The link, or what is left of it, is not what it was. */
  readonly onLinkChanged: () => void
}

interface Job {
  readonly kind: 'preparing' | 'sending'
  readonly controller: AbortController
  readonly done: Promise<void>
}

export function createUploads(options: UploadsOptions): Uploads {
  const { entries, keep, locks, passphrase, linkId } = options
  const environment = options.environmentFor(() => undefined)
  const jobs = new Map<string, Job>()
  const held = new Map<string, () => void>()
  /** Sessions that the server has forgotten are begun anew once, by themselves. */
  const begunAnew = new Set<string>()
  const endings = new Map<string, Promise<Cancelled>>()

  function pump(): void {
    options.refuseWhatWaits()
    if (!options.maySend()) return
    const running = (kind: Job['kind']) => [...jobs.values()].filter((job) => job.kind === kind).length
    if (running('preparing') < MAX_PREPARING && entries.count(isReady) < MAX_PREPARED_AHEAD)
      begin('preparing', entries.find(mayBePrepared))
    while (running('sending') < (passphrase.isInDoubt() ? 1 : MAX_SENDING)) {
      const next = entries.find(mayBeSent)
      if (next === undefined) return
      begin('sending', next)
    }
  }

  const isFree = ({ id, source, phase, isResting }: Entry) =>
    phase === 'waiting' && source !== undefined && !isResting && !jobs.has(id) && !endings.has(id)
  const isReady = (entry: Entry) => isFree(entry) && entry.state !== undefined && !entry.mustCompare
  const canCreate = () => options.link() !== undefined && passphrase.isThere()
  const mayBePrepared = (entry: Entry) => isFree(entry) && (entry.state === undefined ? canCreate() : entry.mustCompare)
  /** A session that exists asks neither for the link nor for its passphrase. */
  const mayBeSent = (entry: Entry) => isReady(entry) && (entry.state?.uploadId !== undefined || canCreate())

  function begin(kind: Job['kind'], entry: Entry | undefined): void {
    if (entry?.source === undefined) return
    const controller = new AbortController()
    const { id, source } = entry
    const work = kind === 'preparing' ? prepare : sendOne
    const done = work({ entry, source, signal: controller.signal })
      .catch((error: unknown) => stopped(id, error))
      .finally(() => {
        jobs.delete(id)
        pump()
      })
    jobs.set(id, { kind, controller, done })
  }

  interface Work {
    readonly entry: Entry
    readonly source: Source
    readonly signal: AbortSignal
  }

  async function prepare({ entry, source, signal }: Work): Promise<void> {
    const { id } = entry
    const onProgress = ({ bytes, of }: SendProgress) => entries.change(id, { prepared: bytes, of })
    entries.change(id, { phase: 'preparing', prepared: 0, failure: undefined })
    if (entry.state !== undefined) {
      await requireSamePlaintext({ state: entry.state, source, signal, onProgress })
      return entries.change(id, { phase: 'waiting', mustCompare: false })
    }
    const text = passphrase.text()
    const state = await seal({ entry, source, signal }, { passphrase: text, onProgress })
    await takeLock(id)
    signal.throwIfAborted()
    await keepState(entry, state)
    passphrase.wasUsedFor(id, text)
    entries.change(id, { phase: 'waiting', state, of: state.size })
  }

  async function seal({ entry, source, signal }: Work, how: Pick<PrepareOptions, 'passphrase' | 'onProgress'>) {
    const { type, message, lastModified } = entry
    const link = options.link()
    if (link === undefined) throw new Error('a file is sealed for a link that is open')
    return link.prepare({
      source,
      name: sealedNameOf(entry),
      type: type === '' ? undefined : type,
      note: message.note === '' ? undefined : message.note,
      sender: message.sender === '' ? undefined : message.sender,
      modifiedAt: instantOf(lastModified),
      signal,
      ...how,
    })
  }

  async function sendOne({ entry, source, signal }: Work): Promise<void> {
    const { id } = entry
    entries.change(id, { phase: 'sending', failure: undefined, isRetrying: false })
    const state = await stateToSend(entry)
    await keepState(entry, state)
    entries.change(id, { state })
    const landed = await send({
      state,
      source,
      signal,
      environment: options.environmentFor((bytes) => entries.change(id, { inFlight: bytes })),
      onProgress: (progress) => onProgress(id, progress),
      onState: async (changed) => {
        passphrase.wasTaken()
        entries.change(id, { state: changed, isReserved: true })
        await keepState(entry, changed)
      },
    })
    await land(entry, state, landed)
  }

  /** With the passphrase that is thought to be right by now. */
  async function stateToSend({ id, state }: Entry): Promise<SendState> {
    if (state === undefined) throw new Error('a file is sent when it has been sealed')
    const text = passphrase.textUnlessUsedFor(id)
    if (state.uploadId !== undefined || text === undefined) return state
    const changed = await withPassphrase(state, text, environment)
    passphrase.wasUsedFor(id, text)
    return changed
  }

  function onProgress(id: string, { phase, bytes, waitingMs }: SendProgress): void {
    if (phase === 'landed') return
    const grown = bytes > (entries.get(id)?.sent ?? 0)
    entries.change(id, { phase, sent: bytes, inFlight: 0, isRetrying: waitingMs !== undefined })
    if (grown) void keep.putReached(id, bytes)
  }

  async function land(entry: Entry, state: SendState, landed: Landed): Promise<void> {
    const { id, name, folder, size, lastModified } = entry
    const custody = { ...landed, baseUrl: state.baseUrl, opaqueId: state.opaqueId }
    const landedAt = Number(environment.now())
    const file = { id, linkId, name, folder, size, lastModified, landedAt, custody }
    await keep.land(file)
    release(id)
    const receipt = { is: 'fetching' } as const
    const over = { state: undefined, source: undefined, inFlight: 0, isRetrying: false }
    entries.change(id, { ...over, phase: 'landed', sent: landed.size, receipt, landed: file })
    options.onLanded(id, custody)
  }

  async function keepState({ id, name, folder, size, lastModified }: Entry, state: SendState): Promise<void> {
    const keptAt = Number(environment.now())
    await keep.putUpload({ id, linkId, name, folder, size, lastModified, state, keptAt })
  }

  async function takeLock(id: string): Promise<boolean> {
    if (held.has(id)) return true
    const giveBack = await locks.take(id)
    if (giveBack === undefined) return false
    held.set(id, giveBack)
    return true
  }

  function release(id: string): void {
    held.get(id)?.()
    held.delete(id)
  }

  async function drop(id: string): Promise<void> {
    await keep.removeUpload(id)
    release(id)
  }

  function stopped(id: string, error: unknown): void {
    const entry = entries.get(id)
    if (entry === undefined || error === CANCELLED) return
    entries.change(id, { inFlight: 0, prepared: 0, isRetrying: false })
    if (error instanceof SendError && error.remedy === 'restart' && entry.state !== undefined)
      entries.change(id, { state: forNewSession(entry.state, environment), sent: 0, isReserved: false })
    const failure = error === PAUSED || goesOnByItself(id, error) ? undefined : failureAfter(entry, error)
    if (failure === 'no_connection' || failure === 'busy') rest(id, failure, pauseMsOf(error))
    else if (failure !== undefined) entries.change(id, { phase: 'failed', failure })
    else entries.change(id, { phase: error === PAUSED ? 'paused' : 'waiting' })
  }

  function goesOnByItself(id: string, error: unknown): boolean {
    const reason = error instanceof SendError ? error.reason : undefined
    if (reason === 'passphrase_refused') passphrase.wasRefusedFor(id)
    const isFirstLoss = reason === 'session_gone' && !begunAnew.has(id)
    if (isFirstLoss) begunAnew.add(id)
    return reason === 'passphrase_refused' || isFirstLoss
  }

  function failureAfter({ state }: Entry, error: unknown): FailureReason {
    const reason = error instanceof SendError ? error.reason : undefined
    if (reason === 'link_closed' || reason === 'link_full') options.onLinkChanged()
    // Before it is sealed there is nothing to compare with: what failed is the reading.
    return reason === 'file_changed' && state === undefined ? 'unreadable' : failureOf(error)
  }

  /** The client has given up for now; the page does not, as long as it is open. */
  function rest(id: string, failure: FailureReason, pauseMs: number): void {
    entries.change(id, { phase: 'waiting', failure, isResting: true, isRetrying: true })
    const end = () => {
      if (entries.get(id)?.isResting === true) entries.change(id, { isResting: false })
      pump()
    }
    void environment.wait(pauseMs).then(end)
  }

  /** Nothing of the file is begun meanwhile, and a second click changes nothing. */
  function ending(id: string, end: () => Promise<Cancelled>): Promise<Cancelled> {
    const underWay = endings.get(id)
    if (underWay !== undefined) return underWay
    const ended = end().finally(() => {
      endings.delete(id)
      pump()
    })
    endings.set(id, ended)
    return ended
  }

  async function cancel(id: string): Promise<Cancelled> {
    const job = jobs.get(id)
    job?.controller.abort(CANCELLED)
    await job?.done
    const { phase, state } = entries.get(id) ?? {}
    // Whoever was asked whether to cancel may have answered after it landed.
    if (phase === 'landed') return 'too_late'
    if (state !== undefined && (await cancelled(state, environment)) === 'too_late') {
      entries.change(id, { phase: 'waiting', failure: undefined, isResting: false })
      return 'too_late'
    }
    await giveUp(id)
    return 'done'
  }

  async function giveUp(id: string): Promise<void> {
    await drop(id)
    entries.change(id, {
      ...{ phase: 'cancelled', state: undefined, failure: undefined },
      ...{ sent: 0, inFlight: 0, prepared: 0, isRetrying: false, isResting: false, isReserved: false },
    })
  }

  async function asNewFile(id: string): Promise<Cancelled> {
    // What was begun may have landed, as it was then; what the file holds now has not.
    if ((await cancel(id)) === 'too_late') await giveUp(id)
    entries.change(id, { phase: 'waiting', mustCompare: false })
    return 'done'
  }

  return {
    pump,
    cancel: (id) => ending(id, () => cancel(id)),
    pause(id) {
      const job = jobs.get(id)
      if (job !== undefined) return job.controller.abort(PAUSED)
      if (entries.get(id)?.phase === 'waiting')
        entries.change(id, { phase: 'paused', isResting: false, isRetrying: false, failure: undefined })
    },
    async asNewFile(id) {
      await ending(id, () => asNewFile(id))
    },
    takeOver: takeLock,
  }
}

/** Whoever has all the bytes lands them, whatever is asked then. A server that can't be reached forgets the upload by itself, a day later. */
async function cancelled(state: SendState, environment: Environment): Promise<Cancelled> {
  try {
    await cancelSend(state, environment)
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.upload.session_closed') return 'too_late'
  }
  return 'done'
}

function pauseMsOf(error: unknown): number {
  const cause = error instanceof Error ? error.cause : undefined
  const askedSeconds = cause instanceof ProblemError ? (cause.retryAfterSeconds ?? 0) : 0
  return Math.max(REST_MS, askedSeconds * 1000)
}

/** RFC 3339, whose years have four digits; a file without a time of its own tells 1970 or nothing. */
function instantOf(lastModified: number): string | undefined {
  return lastModified > 0 && lastModified < INSTANTS_END_MS ? new Date(lastModified).toISOString() : undefined
}
