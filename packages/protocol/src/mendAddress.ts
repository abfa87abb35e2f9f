/**
 * The address of a link, share or invite as it reaches a person. Mail gateways and scanners write its `#` as `%23`, or
 * as `%2523` after two of them. Then the fragment is a part of path or query, which clients send and servers write
 * into logs.
 */

export interface MendedAddress {
  readonly address: string
  /** The fragment was in path or query: servers on the way have seen it. */
  readonly isExposed: boolean
}

const REWRITTEN = /%(?:25)*23/i
/** More gateways in a row are unheard of. */
const MAX_DECODINGS = 4

/** Moves the fragment back behind a `#`. Any other text stays as it is, without what a sentence puts before it. */
export function mendAddress(given: string): MendedAddress {
  const text = given.trim().replace(/^[<("'„“‘«»]+/, '')
  const hashAt = text.includes('#') ? text.indexOf('#') : text.length
  const before = text.slice(0, hashAt)
  const [found] = REWRITTEN.exec(before) ?? []
  const at = found === undefined ? -1 : before.indexOf(found)
  // A query with `%23` says nothing where a fragment follows. No path of a link has one.
  const hasFragment = hashAt < text.length - 1 && before.slice(0, at).includes('?')
  if (found === undefined || hasFragment) return { address: text, isExposed: false }
  const encodings = (found.length - 1) / 2
  const fragment = decoded(before.slice(at + found.length), Math.min(encodings, MAX_DECODINGS))
  return { address: `${before.slice(0, at)}#${fragment}`, isExposed: true }
}

function decoded(text: string, times: number): string {
  try {
    return times === 0 ? text : decoded(decodeURIComponent(text), times - 1)
  } catch {
    return text
  }
}
