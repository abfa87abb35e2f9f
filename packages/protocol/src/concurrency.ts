/** Loops over asynchronous work: with a bound on how much runs at once, or one item after another. */

/**
 * Runs `work` for every item, for at most `max` items at once, and starts them in order. It takes an item only when it
 * starts it. After the first failure it starts no more items, waits for those under way, and throws that failure.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  max: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  let failed: { readonly error: unknown } | undefined
  const lane = async (): Promise<void> => {
    while (failed === undefined) {
      try {
        const next = iterator.next()
        if (next.done === true) return
        await work(next.value)
      } catch (error) {
        failed ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: max }, lane))
  iterator.return?.()
  if (failed !== undefined) throw failed.error
}

/** As `forEachConcurrently`. Returns the results in the order of `items`. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Array<Result>(items.length)
  await forEachConcurrently(items.entries(), max, async ([index, item]) => {
    results[index] = await work(item)
  })
  return results
}

/**
 * Runs `work` for every item, for at most `max` items at once, also for those after a failure. At the end it throws
 * what failed: one error as it is, several as an `AggregateError`. After an error that `isFatal` it starts no more
 * items, and throws that error as it is.
 */
export async function tryEachConcurrently<Item>(
  items: Iterable<Item>,
  max: number,
  work: (item: Item) => Promise<void>,
  isFatal: (error: unknown) => boolean,
): Promise<void> {
  const failures: unknown[] = []
  await forEachConcurrently(items, max, async (item) => {
    try {
      await work(item)
    } catch (error) {
      if (isFatal(error)) throw error
      failures.push(error)
    }
  })
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of them failed`)
}

/** As `tryEachConcurrently`, one item after another. */
export async function tryEachInTurn<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  isFatal: (error: unknown) => boolean,
): Promise<void> {
  await tryEachConcurrently(items, 1, work, isFatal)
}
