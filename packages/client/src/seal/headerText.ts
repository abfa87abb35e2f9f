/** The bounds of the texts in a header. Without the header itself, so quick to load. */
import { utf8 } from '@blindkeep/protocol/bytes'
import { MAX_HEADER_LIST_BYTES, MAX_HEADER_TEXT_BYTES } from '@blindkeep/protocol/suites'

export const MAX_FIELD_BYTES = { ...MAX_HEADER_TEXT_BYTES, ...MAX_HEADER_LIST_BYTES }

/** Whether the text of this field is at most as long as its bound. */
export function fitsHeader(field: keyof typeof MAX_FIELD_BYTES, text: string): boolean {
  const bytesMax = MAX_FIELD_BYTES[field]
  return text.length <= bytesMax && utf8(text).length <= bytesMax
}
