/** Does the same work for many items, a few at a time, and collects the failures. */
export interface Failure<Item> {
  readonly item: Item
  readonly error: unknown
}

interface WorkOptions<Item> {
  readonly items: readonly Item[]
  readonly maxAtOnce: number
  /** Receives the common signal. A rejection fails only this item. */
  readonly each: (item: Item, signal: AbortSignal) => Promise<void>
  /** Called after each item, with the number of finished items. */
  readonly onStep: (finished: number) => void
  readonly signal: AbortSignal
}

export interface WorkOutcome<Item> {
  readonly done: readonly Item[]
  readonly failures: readonly Failure<Item>[]
  /** Not started, or interrupted, because the work was stopped. */
  readonly stopped: readonly Item[]
}

/** Never rejects. After the signal aborts, no item starts any more. */
export async function workThrough<Item>({
  items,
  maxAtOnce,
  each,
  onStep,
  signal,
}: WorkOptions<Item>): Promise<WorkOutcome<Item>> {
  const done: Item[] = []
  const failures: Failure<Item>[] = []
  const stopped: Item[] = []
  const queue = items.values()
  async function worker(): Promise<void> {
    for (const item of queue) {
      if (signal.aborted) {
        stopped.push(item)
        continue
      }
      try {
        await each(item, signal)
        done.push(item)
      } catch (error) {
        if (signal.aborted) stopped.push(item)
        else failures.push({ item, error })
      }
      onStep(done.length + failures.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxAtOnce, items.length) }, worker))
  return { done, failures, stopped }
}
