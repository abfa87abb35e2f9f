import { StoreBroken } from '../ports/store.ts'

/**
 * Does `work` for each item, one after another. One that fails does not keep the others from their turn: what went wrong is told at the end.
 * A broken store ends it at once, as nothing can succeed after that.
 */
export async function eachInTurn<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (error instanceof StoreBroken) throw error
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of them failed`)
}
