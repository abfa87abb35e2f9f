/** Compares copies at hand with what is kept, one after the other, each by the client's strictest question. */
import type { Owner } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { assetFeedOf } from '../albums/assetFeed.ts'
import { busyAsLongAs } from '../busy.ts'
import { whenLeft } from '../left.ts'
import { type CatalogEntry, readCatalog } from './catalog.ts'
import type { Copy } from './compare.ts'
import { createComparing } from './comparing.ts'
import { createStore, type Store } from './store.ts'

export interface CompareState {
  readonly copies: readonly Copy[]
  readonly isRunning: boolean
  /** How much of the copy that is compared now was read, in bytes. */
  readonly progress: { readonly bytes: number; readonly of: number }
  readonly keptNames: ReadonlyMap<AssetId, string>
  readonly error: unknown
}

export interface ChosenFile {
  readonly file: File
  readonly name: string
}

export interface CompareRun extends Pick<Store<CompareState>, 'get' | 'subscribe'> {
  /** Beside what was chosen before; begins at once. */
  add(chosen: readonly ChosenFile[]): Promise<void>
  /** Compares again what got no yes. */
  again(): Promise<void>
  stop(): void
  clear(): void
}

const NOTHING: CompareState = {
  copies: [],
  isRunning: false,
  progress: { bytes: 0, of: 1 },
  keptNames: new Map(),
  error: undefined,
}

const runs = new WeakMap<Owner, CompareRun>()

export function compareRunOf(owner: Owner, baseUrl: string): CompareRun {
  const known = runs.get(owner)
  if (known !== undefined) return known
  const made = createCompareRun({ owner, baseUrl, entries: () => readCatalog(assetFeedOf(owner)) })
  runs.set(owner, made)
  busyAsLongAs(() => made.get().isRunning, made.subscribe)
  whenLeft(owner, made.clear)
  return made
}

export interface ComparePorts {
  readonly owner: Pick<Owner, 'describeAsset' | 'verifyBeforeDestroying'>
  readonly baseUrl: string
  /** Everything that is kept now. */
  readonly entries: () => Promise<readonly CatalogEntry[]>
}

export function createCompareRun({ owner, baseUrl, entries: readEntries }: ComparePorts): CompareRun {
  const store = createStore(NOTHING)
  const compareOne = createComparing({ owner, baseUrl, store })
  let stopping = new AbortController()
  let nextId = 1

  const change = (id: number, changed: Partial<Copy>) =>
    store.set({ copies: store.get().copies.map((copy) => (copy.id === id ? { ...copy, ...changed } : copy)) })

  async function compareAll({ signal }: AbortController): Promise<void> {
    const entries = await readEntries()
    for (;;) {
      const copy = store.get().copies.find(({ kind }) => kind === 'waiting')
      if (copy === undefined || signal.aborted) return
      store.set({ progress: { bytes: 0, of: 1 } })
      change(copy.id, { kind: 'comparing' })
      try {
        const found = await compareOne(copy, entries, signal)
        if (!signal.aborted) change(copy.id, found)
      } catch (cause) {
        if (signal.aborted) return
        change(copy.id, { kind: 'file_unread', cause: cause instanceof Error ? cause : undefined })
      }
    }
  }

  async function run(): Promise<void> {
    if (store.get().isRunning) return
    const own = new AbortController()
    stopping = own
    store.set({ isRunning: true, error: undefined })
    try {
      await compareAll(own)
    } catch (error) {
      if (!own.signal.aborted) store.set({ error })
    }
    if (stopping === own && !own.signal.aborted) store.set({ isRunning: false })
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    add(chosen) {
      const fresh = chosen.map(({ file, name }) => ({ ...UNCOMPARED, id: nextId++, file, name }))
      store.set({ copies: [...store.get().copies, ...fresh] })
      return run()
    },
    again() {
      const { copies } = store.get()
      store.set({ copies: copies.map((copy) => (copy.kind === 'safe' ? copy : { ...copy, ...UNCOMPARED })) })
      return run()
    },
    stop() {
      stopping.abort()
      const { copies } = store.get()
      const left = copies.map((copy) => (copy.kind === 'comparing' ? { ...copy, ...UNCOMPARED } : copy))
      store.set({ isRunning: false, copies: left })
    },
    clear() {
      stopping.abort()
      store.set({ ...NOTHING, keptNames: store.get().keptNames })
    },
  }
}

const UNCOMPARED = { kind: 'waiting', keptAs: undefined, checkedAt: undefined, cause: undefined } as const
