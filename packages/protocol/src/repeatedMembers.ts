/** What `JSON.parse` accepts and a strict reader refuses. */

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a] as const
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const
const SPACES: readonly number[] = [0x20, 0x09, 0x0a, 0x0d]

/**
 * Throws `SyntaxError` for a duplicate member, because readers differ in which one they use (RFC 8259, section 4), and
 * for half a surrogate pair, which no encoding can carry. `text` is known to be JSON: so a string before a colon is the
 * name of a member of the innermost object.
 */
export function refuseRepeatedMembers(text: string): void {
  const open: Set<string>[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BRACKET || code === BRACE) open.push(new Set())
    else if (code === BRACKET_END || code === BRACE_END) open.pop()
    else if (code === QUOTE) {
      const end = endOfString(text, at)
      const written = text.slice(at + 1, end)
      // Compares decoded names: `"\u0061"` is `"a"`.
      const read: string = written.includes('\\') ? JSON.parse(`"${written}"`) : written
      if (!read.isWellFormed()) throw new SyntaxError('half a surrogate pair')
      if (text.charCodeAt(afterSpaces(text, end + 1)) === COLON) rememberMember(open.at(-1), read)
      at = end
    }
  }
}

/** The index of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    // A quote after an odd number of backslashes belongs to the string.
    let first = end
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((end - first) % 2 === 0) return end
  }
}

function afterSpaces(text: string, start: number): number {
  let at = start
  while (SPACES.includes(text.charCodeAt(at))) at++
  return at
}

function rememberMember(members: Set<string> | undefined, name: string): void {
  if (members?.has(name) === true) throw new SyntaxError('a duplicate member')
  members?.add(name)
}
