/** Compares local copies with stored files, one by one, with the client's strictest check. */
import type { Owner } from '@blindkeep/client/owner'
import { guardClosingWhile } from '../../common/work/closeGuard.ts'
import { assetFeedOf } from '../assets/assetFeed.ts'
import { onOwnerLeave } from '../ground/ownerLeave.ts'
import { readCatalog } from './catalog.ts'
import { asListed, type CompareState, type LocalCopy, UNCOMPARED, withChosen } from './compare.ts'
import { type ComparePorts, createCompareCopy } from './compareCopy.ts'
import { createRunState, type RunState } from './runState.ts'

export interface ChosenFile {
  readonly file: File
  readonly name: string
}

interface CompareRun extends Pick<RunState<CompareState>, 'get' | 'subscribe'> {
  /** Adds copies and starts at once. */
  add(chosen: readonly ChosenFile[]): Promise<void>
  /** Compares all copies again that were not confirmed. */
  retry(): Promise<void>
  /** Takes back what later changes have made untrue. Until it is known, and if it fails, nothing is a yes. */
  review(): Promise<void>
  stop(): void
  clear(): void
}

const EMPTY: CompareState = {
  copies: [],
  isRunning: false,
  isCurrent: true,
  progress: { bytes: 0, of: 1 },
  keptNames: new Map(),
  error: undefined,
}

const runs = new WeakMap<Owner, CompareRun>()

export function compareRunOf(owner: Owner, baseUrl: string): CompareRun {
  const known = runs.get(owner)
  if (known !== undefined) return known
  const run = createCompareRun({ owner, baseUrl, feed: assetFeedOf(owner) })
  runs.set(owner, run)
  guardClosingWhile(() => run.get().isRunning, run.subscribe)
  onOwnerLeave(owner, run.clear)
  return run
}

export function createCompareRun({ owner, baseUrl, feed }: ComparePorts): CompareRun {
  const state = createRunState(EMPTY)
  const compareOne = createCompareCopy({ owner, baseUrl, state })
  let stopping = new AbortController()
  let nextId = 1
  let reviews = 0

  const change = (id: number, changed: Partial<LocalCopy>) =>
    state.set({ copies: state.get().copies.map((copy) => (copy.id === id ? { ...copy, ...changed } : copy)) })

  async function compareAll({ signal }: AbortController): Promise<void> {
    const entries = await readCatalog(feed)
    for (;;) {
      const copy = state.get().copies.find(({ kind }) => kind === 'waiting')
      if (copy === undefined || signal.aborted) return
      state.set({ progress: { bytes: 0, of: 1 } })
      change(copy.id, { kind: 'comparing' })
      try {
        const found = await compareOne(copy, entries, signal)
        if (!signal.aborted) change(copy.id, found)
      } catch (cause) {
        if (signal.aborted) return
        change(copy.id, { kind: 'file_unreadable', cause: cause instanceof Error ? cause : undefined })
      }
    }
  }

  async function review(): Promise<void> {
    const own = ++reviews
    if (state.get().copies.length === 0) return
    state.set({ isCurrent: false })
    try {
      const assets = await feed.refresh()
      if (own !== reviews) return
      const copies = state.get().copies.map((copy) => asListed(copy, assets))
      state.set({ isCurrent: true, error: undefined, copies })
    } catch (error) {
      if (own === reviews) state.set({ error })
    }
  }

  async function run(): Promise<void> {
    if (state.get().isRunning) return
    const controller = new AbortController()
    stopping = controller
    state.set({ isRunning: true, error: undefined })
    try {
      do {
        await compareAll(controller)
        if (!controller.signal.aborted) await review()
      } while (!controller.signal.aborted && state.get().copies.some(({ kind }) => kind === 'waiting'))
    } catch (error) {
      if (!controller.signal.aborted) state.set({ error })
    }
    if (stopping === controller && !controller.signal.aborted) state.set({ isRunning: false })
  }

  return {
    get: state.get,
    subscribe: state.subscribe,
    add(chosen) {
      const added = chosen.map(({ file, name }) => ({ ...UNCOMPARED, id: nextId++, file, name }))
      state.set({ copies: withChosen(state.get().copies, added) })
      return run()
    },
    retry() {
      const { copies } = state.get()
      state.set({ copies: copies.map((copy) => (copy.kind === 'safe' ? copy : { ...copy, ...UNCOMPARED })) })
      return run()
    },
    review,
    stop() {
      stopping.abort()
      const { copies } = state.get()
      const reset = copies.map((copy) => (copy.kind === 'comparing' ? { ...copy, ...UNCOMPARED } : copy))
      state.set({ isRunning: false, copies: reset })
      void review()
    },
    clear() {
      stopping.abort()
      state.set({ ...EMPTY, keptNames: state.get().keptNames })
    },
  }
}
