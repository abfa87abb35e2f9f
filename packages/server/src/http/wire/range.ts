/** The part of a content that a Range header requests (RFC 9110, section 14). `end` is exclusive. */
export type Range = { readonly start: number; readonly end: number } | 'whole' | 'unsatisfiable'

/** Only a single range of bytes is served. Anything else gets the whole content, as the RFC allows. */
export function rangeOf(header: string | undefined, size: number): Range {
  const form = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i.exec(header?.trim() ?? '')
  if (form === null) return 'whole'
  const [, first, last, suffix] = form
  if (suffix !== undefined)
    return Number(suffix) === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(suffix)), end: size }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'whole'
  return start >= size ? 'unsatisfiable' : { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}
