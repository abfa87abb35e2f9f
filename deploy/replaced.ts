/** The samples that are tried are the ones that people copy: only names, ports and paths differ. */

/** Each text must be there, so that a changed sample is not tried in part. */
export function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the sample has no ${from}`)
    return result.replace(from, () => to)
  }, text)
}
