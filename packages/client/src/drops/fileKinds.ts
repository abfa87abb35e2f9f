/** The kinds of files that the owner of a link wants: endings, and for some the bytes that such a file begins with. */
import { MAX_FILE_KIND_CHARACTERS, MAX_HEADER_LIST_BYTES } from '@blindkeep/protocol/suites'
import { fitsHeader } from '../seal/headerText.ts'

/** How many bytes of a file `fileKindFault` looks at. */
export const FILE_KIND_BYTES = 1024

const ending = new RegExp(`^[a-z0-9]{1,${MAX_FILE_KIND_CHARACTERS}}$`, 'u')

/** Endings without a dot, in lower case. Undefined: no text, or one that does not fit. */
export function parseFileKinds(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || !fitsHeader('file_kinds', text)) return undefined
  const kinds = text.split(',')
  const isList = kinds.every((kind) => ending.test(kind)) && new Set(kinds).size === kinds.length
  return isList ? kinds : undefined
}

/** Takes `.PDF` for `pdf`. Throws `RangeError`, with the reason for a person. */
export function fileKindsText(kinds: readonly string[]): string {
  const endings = kinds.map((kind) => kind.trim().replace(/^\./u, '').toLowerCase())
  const wrong = endings.findIndex((kind) => !ending.test(kind))
  if (wrong >= 0 || endings.length === 0)
    throw new RangeError(
      `a kind of file is an ending of letters and digits, as in pdf,jpg; not “${kinds[wrong] ?? ''}”`,
    )
  const text = [...new Set(endings)].join(',')
  if (fitsHeader('file_kinds', text)) return text
  throw new RangeError(`all kinds of files together have at most ${MAX_HEADER_LIST_BYTES.file_kinds} bytes`)
}

/**
 * By ending; the first bytes are compared for pdf, jpg, png, gif, webp and zip, unless they are undefined.
 * `firstBytes`: of the file, `FILE_KIND_BYTES` of them, or all that it has.
 */
export function fileKindFault(
  kinds: readonly string[] | undefined,
  name: string,
  firstBytes: Uint8Array | undefined,
): 'ending' | 'content' | undefined {
  if (kinds === undefined) return undefined
  const dot = name.lastIndexOf('.')
  const own = sameEnding(dot < 0 ? '' : name.slice(dot + 1).toLowerCase())
  if (!kinds.some((kind) => sameEnding(kind) === own)) return 'ending'
  const isOfKind = BEGINNINGS.get(own)
  return firstBytes === undefined || isOfKind === undefined || isOfKind(firstBytes) ? undefined : 'content'
}

const sameEnding = (kind: string) => (kind === 'jpeg' ? 'jpg' : kind)

type IsOfKind = (firstBytes: Uint8Array) => boolean

/** Latin-1, so that a character is a byte. */
function has(at: number, beginning: string): IsOfKind {
  return (bytes) => [...beginning].every((character, index) => bytes[at + index] === character.codePointAt(0))
}

const anyOf =
  (...all: readonly IsOfKind[]): IsOfKind =>
  (bytes) =>
    all.some((isOfKind) => isOfKind(bytes))

const [riff, webp, pdf] = [has(0, 'RIFF'), has(8, 'WEBP'), '%PDF-']

const BEGINNINGS: ReadonlyMap<string, IsOfKind> = new Map<string, IsOfKind>([
  // Readers of PDF look for it in the first kibibyte.
  ['pdf', (bytes) => String.fromCharCode(...bytes.subarray(0, FILE_KIND_BYTES)).includes(pdf)],
  ['jpg', has(0, '\xFF\xD8\xFF')],
  ['png', has(0, '\x89PNG\r\n\x1A\n')],
  ['gif', anyOf(has(0, 'GIF87a'), has(0, 'GIF89a'))],
  ['webp', (bytes) => riff(bytes) && webp(bytes)],
  // With files, without any, and in several parts.
  ['zip', anyOf(has(0, 'PK\x03\x04'), has(0, 'PK\x05\x06'), has(0, 'PK\x07\x08'))],
])
