/** Results in the order of `items`, with at most `most` pieces of work under way at once. Rejects with the first failure. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>()
  const waiting = items.entries()
  const worker = async () => {
    for (const [index, item] of waiting) results.set(index, await work(item))
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result)
}
