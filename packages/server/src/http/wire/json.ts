/**
 * Reads JSON as RFC 8259 advises: refuses a duplicate member, because readers differ in which one they use, and half a
 * surrogate pair, because no encoding can carry it. Also bounds what `JSON.parse`, the schemas and the rules have to
 * walk, before anything is parsed.
 */
import { refuseRepeatedMembers } from '@blindkeep/protocol/repeatedMembers'
import { MAX_SHARE_BLOBS } from '@blindkeep/protocol/schemas/shares'

/** Lists and objects inside each other. No body of the table needs more than four. */
export const MAX_JSON_DEPTH = 16
/** Members of one object. With more, at least one is unknown or there twice in every body of the table. */
export const MAX_JSON_MEMBERS = 64
/** Values of a body, nested ones too. The largest body is a share with all its blobs and a few members. */
export const MAX_JSON_VALUES = MAX_SHARE_BLOBS + 1000

/** Linear in the bytes. Throws `SyntaxError`, and `TypeError` for bytes that are not UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
  refuseExcess(bytes)
  const text = utf8.decode(bytes)
  const value: unknown = JSON.parse(text)
  refuseRepeatedMembers(text)
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c] as const
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const

/** Reads bytes that may not be JSON, each once. In UTF-8 these characters occur only as themselves. */
function refuseExcess(bytes: Uint8Array): void {
  // Of each open list or object, its members so far; a list has no bound of its own.
  const members: number[] = []
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
    } else if (byte === BRACKET || byte === BRACE) {
      values++
      members.push(byte === BRACE ? 1 : Number.NEGATIVE_INFINITY)
      if (members.length > MAX_JSON_DEPTH) throw new SyntaxError(`deeper than ${MAX_JSON_DEPTH}`)
    } else if (byte === COMMA) {
      values++
      const count = (members.pop() ?? 0) + 1
      members.push(count)
      if (count > MAX_JSON_MEMBERS) throw new SyntaxError(`an object of more than ${MAX_JSON_MEMBERS} members`)
    } else if (byte === BRACKET_END || byte === BRACE_END) members.pop()
    if (values > MAX_JSON_VALUES) throw new SyntaxError(`more than ${MAX_JSON_VALUES} values`)
  }
}
