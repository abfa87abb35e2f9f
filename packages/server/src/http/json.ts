/**
 * JSON as RFC 8259 advises to read it: a member given twice is refused, as two readers would take different ones of them,
 * and so is a text that holds half a surrogate pair, as no encoding can carry it on. Throws `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  refuseRepeatedMembers(text)
  return value
}

/** Strings with what follows them, and the brackets between: enough to walk a text that is known to be JSON. */
const TOKENS = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}[\]]/g

function refuseRepeatedMembers(text: string): void {
  const open: Set<string>[] = []
  for (const [token, content, colon] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else remember(content ?? '', colon === undefined ? undefined : open.at(-1))
  }
}

/** Keys are compared as they read, not as they are written: `"\u0061"` is `"a"`. */
function remember(content: string, members: Set<string> | undefined): void {
  if (!content.includes('\\') && members === undefined) return
  const read: string = content.includes('\\') ? JSON.parse(`"${content}"`) : content
  if (!read.isWellFormed()) throw new SyntaxError('half a surrogate pair')
  if (members?.has(read) === true) throw new SyntaxError('a member given twice')
  members?.add(read)
}
