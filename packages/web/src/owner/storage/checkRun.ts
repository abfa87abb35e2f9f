/** A check of many files, batch after batch. It goes on while other pages are looked at, and what it found stays until the next one or the sign-out. */
import { NetworkError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import type { HeldAnswer } from '@blindkeep/client/verify'
import type { AssetId } from '@blindkeep/protocol/ids'
import { busyAsLongAs } from '../busy.ts'
import { whenLeft } from '../left.ts'
import { batchesOf } from './batches.ts'
import type { CatalogEntry } from './catalog.ts'
import { type KnownPins, knownPins, rememberPins } from './knownPins.ts'
import { type Outcome, outcomeOf, TONES } from './outcomes.ts'
import { createStore, type Store } from './store.ts'

export type CheckDepth = 'deep' | 'structural'

export interface CheckState {
  readonly phase: 'none' | 'running' | 'ended'
  readonly depth: CheckDepth
  /** In words, as it was chosen: "All 12 files". */
  readonly scope: string
  readonly asked: readonly CatalogEntry[]
  readonly outcomes: ReadonlyMap<AssetId, Outcome>
  /** Of the batch that is under way: those about which only the verdict is missing. */
  readonly ready: number
  readonly wasStopped: boolean
  /** Why it could not go on. */
  readonly error: unknown
}

export interface StartCheck {
  readonly entries: readonly CatalogEntry[]
  readonly depth: CheckDepth
  readonly scope: string
}

export interface CheckRun extends Pick<Store<CheckState>, 'get' | 'subscribe'> {
  /** Forgets what was found before. Resolves when it has ended, however it did. */
  start(check: StartCheck): Promise<void>
  /** Asks again about what is not checked, and about nothing else. */
  resume(): Promise<void>
  stop(): void
  forget(): void
}

const NOTHING: CheckState = {
  phase: 'none',
  depth: 'deep',
  scope: '',
  asked: [],
  outcomes: new Map(),
  ready: 0,
  wasStopped: false,
  error: undefined,
}

const runs = new WeakMap<Owner, CheckRun>()

export function checkRunOf(owner: Owner, baseUrl: string): CheckRun {
  const known = runs.get(owner)
  if (known !== undefined) return known
  const made = createCheckRun(owner, {
    load: () => knownPins(baseUrl),
    keep: (keys) => rememberPins(keys),
  })
  runs.set(owner, made)
  busyAsLongAs(() => made.get().phase === 'running', made.subscribe)
  whenLeft(owner, made.forget)
  return made
}

interface Pins {
  readonly load: () => Promise<Pick<KnownPins, 'pinned'>>
  readonly keep: (keys: KnownPins['pinned']) => Promise<void>
}

export function createCheckRun(owner: Pick<Owner, 'verifyHeld'>, pins: Pins): CheckRun {
  const store = createStore(NOTHING)
  let stopping = new AbortController()

  async function askAbout(entries: readonly CatalogEntry[], { signal }: AbortController): Promise<void> {
    const { depth } = store.get()
    for (const batch of batchesOf(entries, { isDeep: depth === 'deep' })) {
      const { pinned } = await pins.load()
      const assetIds = batch.map(({ assetId }) => assetId)
      const onProgress = (ready: number) => signal.aborted || store.set({ ready })
      const { answers, keys } = await owner.verifyHeld({ assetIds, depth, pinned, onProgress, signal })
      if (signal.aborted) return
      await pins.keep(keys)
      const outcomes = new Map(store.get().outcomes)
      for (const answer of answers) outcomes.set(answer.assetId, outcomeOf(answer))
      store.set({ outcomes, ready: 0 })
      const failure = failureOfAll(answers)
      if (failure !== undefined) return store.set({ error: failure })
    }
  }

  async function run(entries: readonly CatalogEntry[]): Promise<void> {
    stopping.abort()
    const own = new AbortController()
    stopping = own
    store.set({ phase: 'running', ready: 0, wasStopped: false, error: undefined })
    try {
      await askAbout(entries, own)
    } catch (error) {
      if (!own.signal.aborted) store.set({ error })
    }
    if (stopping === own && !own.signal.aborted) store.set({ phase: 'ended', ready: 0 })
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    start({ entries, depth, scope }) {
      store.set({ ...NOTHING, depth, scope, asked: entries })
      return run(entries)
    },
    resume() {
      const { asked, outcomes } = store.get()
      return run(asked.filter(({ assetId }) => isOpen(outcomes.get(assetId))))
    },
    stop() {
      if (store.get().phase !== 'running') return
      stopping.abort()
      store.set({ phase: 'ended', ready: 0, wasStopped: true })
    },
    forget() {
      stopping.abort()
      store.set(NOTHING)
    },
  }
}

export function isOpen(outcome: Pick<Outcome, 'kind'> | undefined): boolean {
  return outcome === undefined || TONES[outcome.kind] === 'warn'
}

/** A server that is away, or a session that is over, would answer no other batch either. One that took too long may. */
function failureOfAll(answers: readonly HeldAnswer[]): Error | undefined {
  const causes = answers.map(causeOfNoAnswer)
  const [first] = causes
  if (first === undefined || causes.includes(undefined)) return undefined
  return first instanceof NetworkError && first.failure === 'timeout' ? undefined : first
}

function causeOfNoAnswer(answer: HeldAnswer): Error | undefined {
  const { kind, cause } = outcomeOf(answer)
  return kind === 'unanswered' ? cause : undefined
}
