/** A check of many files in batches. It continues behind other pages; its results stay until the next one. */
import { NetworkError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { type HeldAnswer, type SampleRun, type SignedOriginal, sampleRecord } from '@blindkeep/client/verify'
import type { AssetId } from '@blindkeep/protocol/ids'
import { guardClosingWhile } from '../../common/work/closeGuard.ts'
import { keepSampleRun } from '../browser/sampleStore.ts'
import { seenChangeOf } from '../browser/seenByBrowser.ts'
import { onOwnerLeave } from '../ground/ownerLeave.ts'
import { batchesOf } from './batches.ts'
import type { CatalogEntry } from './catalog.ts'
import { type KnownPins, knownPins, rememberPins } from './knownPins.ts'
import { type InboxTally, type Outcome, outcomeOf, TONES, withBadSamples } from './outcomes.ts'
import { createRunState, type RunState } from './runState.ts'

export type CheckDepth = 'deep' | 'structural' | 'sample'

export interface CheckState {
  readonly phase: 'none' | 'running' | 'ended'
  readonly depth: CheckDepth
  /** The choice in words: "All 12 files". */
  readonly scope: string
  readonly entries: readonly CatalogEntry[]
  /** Undefined while it was not asked about, and when the choice leaves it out. */
  readonly inbox?: InboxTally | undefined
  readonly outcomes: ReadonlyMap<AssetId, Outcome>
  /** Files of the current batch that wait only for the verdict. */
  readonly ready: number
  /** Pieces of a sample that were asked, while it runs. */
  readonly asked?: { readonly done: number; readonly of: number } | undefined
  /** Of depth `sample`, once it has ended or was stopped. */
  readonly sampled?: SampleRun | undefined
  readonly wasStopped: boolean
  /** Why the check could not continue. */
  readonly error: unknown
}

interface StartCheck {
  readonly entries: readonly CatalogEntry[]
  /** All files are chosen, so the inbox belongs to the question. */
  readonly withInbox?: boolean
  readonly depth: CheckDepth
  /** How many pieces to draw, for depth `sample`. */
  readonly samples?: number
  readonly scope: string
}

interface CheckRun extends Pick<RunState<CheckState>, 'get' | 'subscribe'> {
  /** Deletes the results of the last check. Resolves when the check has ended or failed. Never rejects. */
  start(check: StartCheck): Promise<void>
  /** Checks only the files that have no result yet. */
  resume(): Promise<void>
  stop(): void
  clear(): void
}

const EMPTY: CheckState = {
  phase: 'none',
  depth: 'deep',
  scope: '',
  entries: [],
  inbox: undefined,
  outcomes: new Map(),
  ready: 0,
  asked: undefined,
  sampled: undefined,
  wasStopped: false,
  error: undefined,
}

const runs = new WeakMap<Owner, CheckRun>()

export function checkRunOf(owner: Owner, baseUrl: string): CheckRun {
  const known = runs.get(owner)
  if (known !== undefined) return known
  const pins = { load: () => knownPins(baseUrl), save: rememberPins }
  const run = createCheckRun(owner, pins, async (sampled) =>
    keepSampleRun(owner, sampleRecord(sampled, await seenChangeOf(owner).load())),
  )
  runs.set(owner, run)
  guardClosingWhile(() => run.get().phase === 'running', run.subscribe)
  onOwnerLeave(owner, run.clear)
  return run
}

interface Pins {
  readonly load: () => Promise<Pick<KnownPins, 'pinned'>>
  readonly save: (keys: KnownPins['pinned']) => Promise<void>
}

type Asked = Pick<Owner, 'verifyHeld' | 'pendingDrops' | 'sampleSegments'>

/** `keepSample` never rejects. */
export function createCheckRun(owner: Asked, pins: Pins, keepSample: (run: SampleRun) => Promise<void>): CheckRun {
  const store = createRunState(EMPTY)
  let { withInbox, samples }: Pick<StartCheck, 'withInbox' | 'samples'> = {}
  /** SECRET. The files whose manifest holds. */
  const originals = new Map<AssetId, SignedOriginal>()
  let stopping = new AbortController()

  /** Also what was stopped is recorded and shown, unless another check has begun or the owner has left. */
  async function sample(controller: AbortController): Promise<void> {
    const { signal } = controller
    const onProgress = (done: number, of: number) => signal.aborted || store.set({ asked: { done, of } })
    const sampled = await owner.sampleSegments({
      originals: originals.values(),
      samples: samples ?? 0,
      onProgress,
      signal,
    })
    await keepSample(sampled)
    if (signal.aborted && !(stopping === controller && store.get().wasStopped)) return
    const { outcomes } = store.get()
    store.set({ sampled, asked: undefined, outcomes: withBadSamples(outcomes, sampled) })
    if (!signal.aborted && sampled.ended !== undefined) store.set({ error: sampled.ended })
  }

  async function run(entries: readonly CatalogEntry[]): Promise<void> {
    stopping.abort()
    const controller = new AbortController()
    stopping = controller
    store.set({ phase: 'running', ready: 0, asked: undefined, sampled: undefined, wasStopped: false, error: undefined })
    try {
      if (withInbox === true) store.set({ inbox: await inboxTally(owner, controller.signal) })
      await askAbout({ owner, pins, store, originals }, entries, controller)
      const { depth, error } = store.get()
      if (depth === 'sample' && error === undefined && !controller.signal.aborted) await sample(controller)
    } catch (error) {
      if (!controller.signal.aborted) store.set({ error })
    }
    if (stopping === controller && !controller.signal.aborted) store.set({ phase: 'ended', ready: 0 })
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    start({ entries, depth, scope, ...question }) {
      ;({ withInbox, samples } = question)
      originals.clear()
      store.set({ ...EMPTY, depth, scope, entries })
      return run(entries)
    },
    resume() {
      const { entries, outcomes } = store.get()
      return run(entries.filter(({ assetId }) => isUnchecked(outcomes.get(assetId))))
    },
    stop() {
      if (store.get().phase !== 'running') return
      stopping.abort()
      store.set({ phase: 'ended', ready: 0, wasStopped: true })
    },
    clear() {
      stopping.abort()
      originals.clear()
      store.set(EMPTY)
    },
  }
}

interface Asking {
  readonly owner: Pick<Owner, 'verifyHeld'>
  readonly pins: Pins
  readonly store: RunState<CheckState>
  readonly originals: Map<AssetId, SignedOriginal>
}

async function askAbout(
  { owner, pins, store, originals }: Asking,
  entries: readonly CatalogEntry[],
  { signal }: AbortController,
): Promise<void> {
  const depth = store.get().depth === 'deep' ? 'deep' : 'structural'
  for (const batch of batchesOf(entries, { isDeep: depth === 'deep' })) {
    const { pinned } = await pins.load()
    const assetIds = batch.map(({ assetId }) => assetId)
    const onProgress = (ready: number) => signal.aborted || store.set({ ready })
    // The results show which files were signed by a revoked device.
    const { answers, keys } = await owner.verifyHeld({
      assetIds,
      depth,
      pinned,
      onProgress,
      onSigned: (original) => signal.aborted || originals.set(original.assetId, original),
      signal,
      allowRevokedDevice: true,
    })
    if (signal.aborted) return
    await pins.save(keys)
    const outcomes = new Map(store.get().outcomes)
    for (const answer of answers) outcomes.set(answer.assetId, outcomeOf(answer))
    store.set({ outcomes, ready: 0 })
    const failure = failureOfAll(answers)
    if (failure !== undefined) return store.set({ error: failure })
  }
}

/** Read again with each part of the check: a file may have moved into an album, or have been found damaged. */
async function inboxTally(owner: Pick<Owner, 'pendingDrops'>, signal: AbortSignal): Promise<InboxTally> {
  const inbox = { files: 0, damaged: 0, held: 0 }
  for await (const page of owner.pendingDrops({ signal }))
    for (const { withheld } of page) {
      inbox.files++
      if (withheld !== undefined) inbox[withheld]++
    }
  signal.throwIfAborted()
  return inbox
}

export function isUnchecked(outcome: Pick<Outcome, 'kind'> | undefined): boolean {
  return outcome === undefined || TONES[outcome.kind] === 'warn'
}

/** An unreachable server or an ended session fails every further batch; a timeout need not. */
function failureOfAll(answers: readonly HeldAnswer[]): Error | undefined {
  const causes = answers.map(causeIfNoAnswer)
  const [first] = causes
  if (first === undefined || causes.includes(undefined)) return undefined
  return first instanceof NetworkError && first.failure === 'timeout' ? undefined : first
}

function causeIfNoAnswer(answer: HeldAnswer): Error | undefined {
  const { kind, cause } = outcomeOf(answer)
  return kind === 'no_answer' ? cause : undefined
}
