/** Loads shared values, a limited number at once, and keeps a limited number of unused ones. */
export type Outcome<Value> =
  | { readonly value: Value; readonly error?: undefined }
  | { readonly error: unknown; readonly value?: undefined }

export interface SharedLoads<Value> {
  /**
   * Calls `onOutcome` when the value is loaded: at once if it is loaded already. Call the returned function when the
   * value is no longer used. A load without users is aborted; a failed load is not kept.
   */
  use(
    key: string,
    load: (signal: AbortSignal) => Promise<Value>,
    onOutcome: (outcome: Outcome<Value>) => void,
  ): () => void
  /** Removes all unused values. */
  forgetUnused(): void
}

interface SharedLoadsOptions<Value> {
  readonly maxAtOnce: number
  /** Maximum number of unused values. */
  readonly maxUnused: number
  /** An unused value that was loaded before this time is loaded again. */
  readonly maxAgeMs: number
  /** Called for each value that is removed. */
  readonly dispose: (value: Value) => void
  /** Milliseconds; `performance.now` by default. */
  readonly now?: (() => number) | undefined
}

interface Entry<Value> {
  readonly key: string
  readonly load: (signal: AbortSignal) => Promise<Value>
  readonly listeners: Set<(outcome: Outcome<Value>) => void>
  running: AbortController | undefined
  loaded: { readonly value: Value; readonly atMs: number } | undefined
}

export function createSharedLoads<Value>({
  maxAtOnce,
  maxUnused,
  maxAgeMs,
  dispose,
  now = () => performance.now(),
}: SharedLoadsOptions<Value>): SharedLoads<Value> {
  /** In the order in which they were last released. */
  const entries = new Map<string, Entry<Value>>()
  let running = 0

  function loadMore(): void {
    for (const entry of entries.values()) {
      if (running >= maxAtOnce) return
      if (entry.loaded === undefined && entry.running === undefined) void start(entry)
    }
  }

  async function start(entry: Entry<Value>): Promise<void> {
    const controller = new AbortController()
    entry.running = controller
    running++
    try {
      const value = await entry.load(controller.signal)
      if (controller.signal.aborted) dispose(value)
      else finish(entry, value)
    } catch (error) {
      if (!controller.signal.aborted) {
        entries.delete(entry.key)
        for (const listener of entry.listeners) listener({ error })
      }
    } finally {
      running--
      loadMore()
    }
  }

  function finish(entry: Entry<Value>, value: Value): void {
    entry.loaded = { value, atMs: now() }
    entry.running = undefined
    for (const listener of entry.listeners) listener({ value })
  }

  function releaseUnused(entry: Entry<Value>): void {
    if (entry.listeners.size > 0 || entries.get(entry.key) !== entry) return
    entries.delete(entry.key)
    if (entry.loaded === undefined) {
      entry.running?.abort()
      return
    }
    entries.set(entry.key, entry)
    const unused = unusedEntries()
    for (const oldest of unused.slice(0, Math.max(0, unused.length - maxUnused))) remove(oldest)
  }

  function unusedEntries(): readonly Entry<Value>[] {
    return [...entries.values()].filter(({ listeners }) => listeners.size === 0)
  }

  function remove({ key, loaded }: Entry<Value>): void {
    entries.delete(key)
    if (loaded !== undefined) dispose(loaded.value)
  }

  return {
    forgetUnused() {
      for (const entry of unusedEntries()) remove(entry)
    },
    use(key, load, onOutcome) {
      const last = entries.get(key)
      if (last?.loaded !== undefined && last.listeners.size === 0 && now() - last.loaded.atMs > maxAgeMs) remove(last)
      const entry = entries.get(key) ?? { key, load, listeners: new Set(), running: undefined, loaded: undefined }
      // A new function for each call, so that the same callback can be given twice.
      const listener = (outcome: Outcome<Value>) => onOutcome(outcome)
      entries.set(key, entry)
      entry.listeners.add(listener)
      if (entry.loaded === undefined) loadMore()
      else listener({ value: entry.loaded.value })
      return () => {
        entry.listeners.delete(listener)
        releaseUnused(entry)
      }
    },
  }
}
