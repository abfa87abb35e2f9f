/**
 * Texts on a terminal, from other people and from the server: none moves the cursor, changes colours, or turns the
 * direction of what stands behind it. The programs' own reporters do this to everything that they print, so that a
 * forgotten call costs nothing.
 */

const UNSHOWN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
const UNSHOWN_IN_LINES = /[\p{Bidi_Control}\u2028\u2029]|(?!\n)\p{Cc}/gu
/** Most lines of a log have nothing of it, and this finds that out much sooner. */
const BEYOND_ASCII = /[^\n -~]/

/** One line. */
export function shown(text: string): string {
  return text.replace(UNSHOWN, '\uFFFD')
}

/** Keeps line feeds. A program's own words have them; a text of others passes through `shown` first. */
export function shownLines(text: string): string {
  return text.replace(UNSHOWN_IN_LINES, '\uFFFD')
}

/** JSON with those characters escaped: terminals may show it, programs read it. Line feeds between members stay. */
export function escapedJson(json: string): string {
  if (!BEYOND_ASCII.test(json)) return json
  return json.replace(UNSHOWN_IN_LINES, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
