/** A file name in parts that can be shown in little room: what is cut is in the middle, so that the ending stays. */

/** UTF-16 units of the end that is never cut. An ending has up to five, and numbers before it tell files apart. */
const TAIL_UNITS = 9

export interface NameParts {
  readonly stem: string
  /** Empty for a short name. */
  readonly tail: string
}

/** The parts together are the name. */
export function namePartsOf(name: string): NameParts {
  const start = tailStart(name)
  const cut = start < TAIL_UNITS ? name.length : start
  return { stem: name.slice(0, cut), tail: name.slice(cut) }
}

/** The folder ends with a slash; it is empty for a single file, or a name with a slash at its end. Joined: the path. */
export function pathPartsOf(path: string): { readonly folder: string; readonly name: string } {
  const start = path.lastIndexOf('/') + 1
  return start === path.length ? { folder: '', name: path } : { folder: path.slice(0, start), name: path.slice(start) }
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
