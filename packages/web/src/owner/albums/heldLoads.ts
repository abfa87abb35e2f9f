/** What tiles in view have loaded: a bounded number at once, a bounded number kept, and nothing for what is out of view again. */
export type Outcome<Value> =
  | { readonly value: Value; readonly error?: undefined }
  | { readonly error: unknown; readonly value?: undefined }

export interface HeldLoads<Value> {
  /**
   * Loads what is not there yet and tells how it went; at once, when it is there. Hold it as long as it is shown: the returned function lets go. A load that
   * nobody waits for any more is aborted, and a failed one is not kept.
   */
  hold(
    key: string,
    load: (signal: AbortSignal) => Promise<Value>,
    onOutcome: (outcome: Outcome<Value>) => void,
  ): () => void
}

export interface HeldLoadsOptions<Value> {
  readonly atOnce: number
  /** Of those that nobody holds. */
  readonly keptMost: number
  /** Called for each value that is not kept any more. */
  readonly drop: (value: Value) => void
}

interface Entry<Value> {
  readonly key: string
  readonly load: (signal: AbortSignal) => Promise<Value>
  readonly listeners: Set<(outcome: Outcome<Value>) => void>
  running: AbortController | undefined
  loaded: { readonly value: Value } | undefined
}

export function createHeldLoads<Value>({ atOnce, keptMost, drop }: HeldLoadsOptions<Value>): HeldLoads<Value> {
  /** In the order in which they were let go of last. */
  const entries = new Map<string, Entry<Value>>()
  let underWay = 0

  function loadMore(): void {
    for (const entry of entries.values()) {
      if (underWay >= atOnce) return
      if (entry.loaded === undefined && entry.running === undefined) void start(entry)
    }
  }

  async function start(entry: Entry<Value>): Promise<void> {
    const controller = new AbortController()
    entry.running = controller
    underWay++
    try {
      const value = await entry.load(controller.signal)
      if (controller.signal.aborted) drop(value)
      else finish(entry, value)
    } catch (error) {
      if (!controller.signal.aborted) {
        entries.delete(entry.key)
        for (const listener of entry.listeners) listener({ error })
      }
    } finally {
      underWay--
      loadMore()
    }
  }

  function finish(entry: Entry<Value>, value: Value): void {
    entry.loaded = { value }
    entry.running = undefined
    for (const listener of entry.listeners) listener({ value })
  }

  function letGo(entry: Entry<Value>): void {
    if (entry.listeners.size > 0 || entries.get(entry.key) !== entry) return
    entries.delete(entry.key)
    if (entry.loaded === undefined) {
      entry.running?.abort()
      return
    }
    entries.set(entry.key, entry)
    const idle = [...entries.values()].filter(({ listeners }) => listeners.size === 0)
    for (const oldest of idle.slice(0, Math.max(0, idle.length - keptMost))) {
      entries.delete(oldest.key)
      if (oldest.loaded !== undefined) drop(oldest.loaded.value)
    }
  }

  return {
    hold(key, load, onOutcome) {
      const entry = entries.get(key) ?? { key, load, listeners: new Set(), running: undefined, loaded: undefined }
      // A listener of its own, so that the same function may hold twice.
      const listener = (outcome: Outcome<Value>) => onOutcome(outcome)
      entries.set(key, entry)
      entry.listeners.add(listener)
      if (entry.loaded === undefined) loadMore()
      else listener({ value: entry.loaded.value })
      return () => {
        entry.listeners.delete(listener)
        letGo(entry)
      }
    },
  }
}
