/**
 * Does `work` for every item, `most` of them at a time, in the order in which they are given out. The first that fails ends it: what is under way is
 * awaited, nothing more is begun, and its error is thrown.
 */
export async function severalAtOnce<Item>(
  items: Iterable<Item>,
  most: number,
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
  await Promise.all(Array.from({ length: most }, lane))
  iterator.return?.()
  if (failed !== undefined) throw failed.error
}
