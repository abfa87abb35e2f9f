/** A file name in parts that can be shown in little room: what is cut is in the middle, so that the ending stays. */

/** UTF-16 units of the end that is never cut. An ending has up to five, and numbers before it tell files apart. */
const TAIL_UNITS = 9

export interface NameParts {
  /** With a slash at its end; empty for a file that was chosen by itself. */
  readonly folder: string
  readonly stem: string
  readonly tail: string
}

/** The parts together are the name. */
export function namePartsOf(name: string): NameParts {
  const start = name.lastIndexOf('/') + 1
  const end = tailStart(name)
  const cut = end - start < TAIL_UNITS ? name.length : end
  // A name that ends with a slash has no part after it.
  if (start === name.length) return { folder: '', stem: name, tail: '' }
  return { folder: name.slice(0, start), stem: name.slice(start, cut), tail: name.slice(cut) }
}

/** Not between a letter and its marks, nor inside of an emoji. */
function tailStart(name: string): number {
  let start = Math.max(0, name.length - TAIL_UNITS)
  while (start > 0 && start > name.length - 2 * TAIL_UNITS && isJoined(name, start)) start--
  return start
}

function isJoined(name: string, at: number): boolean {
  const isLowSurrogate = /[\uDC00-\uDFFF]/.test(name[at] ?? '')
  return (
    isLowSurrogate || /^[\p{M}\u200D]|^\p{Emoji_Modifier}/u.test(name.slice(at, at + 2)) || name[at - 1] === '\u200D'
  )
}
