/**
 * Reads JSON as RFC 8259 advises: refuses a duplicate member, because readers differ in which one they use,
 * and half a surrogate pair, because no encoding can carry it. Throws `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  refuseRepeatedMembers(text)
  return value
}

/** Strings, with the colon after a member's name, and brackets: enough to walk a text that is known to be JSON. */
const TOKENS = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}[\]]/g

function refuseRepeatedMembers(text: string): void {
  const open: Set<string>[] = []
  for (const [token, content, colon] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else remember(content ?? '', colon === undefined ? undefined : open.at(-1))
  }
}

/** Compares decoded keys: `"\u0061"` is `"a"`. */
function remember(content: string, members: Set<string> | undefined): void {
  if (!content.includes('\\') && members === undefined) return
  const read: string = content.includes('\\') ? JSON.parse(`"${content}"`) : content
  if (!read.isWellFormed()) throw new SyntaxError('half a surrogate pair')
  if (members?.has(read) === true) throw new SyntaxError('a duplicate member')
  members?.add(read)
}
