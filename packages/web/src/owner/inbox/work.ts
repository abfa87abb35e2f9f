/** One thing done to many, a few at a time: what is done, what is left, and why something was not. */
export interface Failure<Item> {
  readonly item: Item
  readonly error: unknown
}

export interface WorkOptions<Item> {
  readonly items: readonly Item[]
  readonly atOnce: number
  /** Gets the signal of the whole; rejects when this one fails, which stops no other. */
  readonly each: (item: Item, signal: AbortSignal) => Promise<void>
  /** After each one, with how many are over. */
  readonly onStep: (over: number) => void
  readonly signal: AbortSignal
}

export interface WorkOutcome<Item> {
  readonly done: readonly Item[]
  readonly failures: readonly Failure<Item>[]
  /** Not begun, because it was stopped. */
  readonly left: readonly Item[]
}

/** Never rejects. After a stop nothing more begins; what had begun and was cut short counts as left too. */
export async function workThrough<Item>({
  items,
  atOnce,
  each,
  onStep,
  signal,
}: WorkOptions<Item>): Promise<WorkOutcome<Item>> {
  const done: Item[] = []
  const failures: Failure<Item>[] = []
  const left: Item[] = []
  const queue = items.values()
  async function worker(): Promise<void> {
    for (const item of queue) {
      if (signal.aborted) {
        left.push(item)
        continue
      }
      try {
        await each(item, signal)
        done.push(item)
      } catch (error) {
        if (signal.aborted) left.push(item)
        else failures.push({ item, error })
      }
      onStep(done.length + failures.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return { done, failures, left }
}
