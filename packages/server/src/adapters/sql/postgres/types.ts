import { type CustomTypesConfig, types } from 'pg'

/** A number in the database that JavaScript cannot represent exactly. */
class NotExact extends RangeError {
  override readonly name = 'NotExact'
}

// https://www.postgresql.org/docs/current/catalog-pg-type.html: the object identifiers of the types, which
// never change.
const BYTEA = 17
const INT8 = 20
const NUMERIC = 1700

/**
 * Parses values as the port expects them: whole numbers as numbers, bytes as `Uint8Array`s with memory of their own. A
 * `sum` of bigints is numeric. All values arrive as text.
 */
export const typesOfPort: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8 || oid === NUMERIC) return exactInteger
    return oid === BYTEA ? plainBytes : types.getTypeParser(oid, format)
  },
}

function exactInteger(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new NotExact(`${text} is not a whole number within 2^53-1`)
  return number
}

/** `bytea_output = hex`: `\x`, two digits a byte. A Buffer shares memory, and equals no array of the same bytes. */
function plainBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}
