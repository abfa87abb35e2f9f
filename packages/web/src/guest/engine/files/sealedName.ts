import { filePath } from '../../../common/names/filePath.ts'

/** Longer than any file system allows, and in any script less than a header accepts (`MAX_HEADER_TEXT_BYTES`). */
const MAX_CHARACTERS = 2_000
/** The end of a longer name is kept for its file extension. */
const TAIL_CHARACTERS = 200

/** Path and name. Beyond `MAX_CHARACTERS`, `…` stands before the last `TAIL_CHARACTERS`. */
export function sealedNameOf(file: { readonly folder: string; readonly name: string }): string {
  const whole = filePath(file)
  if (whole.length <= MAX_CHARACTERS) return whole
  return `${whole.slice(0, MAX_CHARACTERS - TAIL_CHARACTERS)}…${whole.slice(-TAIL_CHARACTERS)}`
}
