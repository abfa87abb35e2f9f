/**
 * File names from other people. A name may be shown as text anywhere, but before it names a file on a disk it must pass
 * through `safeName`. The work rises with the length of the name and not faster, whatever it contains.
 */
import { trimEnd } from '@blindkeep/protocol/trimEnd'

/** Longest file name of common file systems, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255
const FALLBACK = 'unnamed'
/** Longest file extension that is kept when a name is shortened. */
export const MAX_EXTENSION_BYTES = 32
/**
 * UTF-16 units of the beginning and of the end of a longer name that are read on; those between them are dropped.
 * Normalization sorts each run of combining marks, which takes the square of its length. Composition leaves at least
 * two bytes of three units, so the beginning still fills a name, and the end still contains any extension that is kept.
 */
const HEAD_UNITS = 512
const TAIL_UNITS = 128

/** Path separators of any system, and characters that Windows forbids. */
const forbidden = /[/\\:*?"<>|]/gu
/** C0 and C1 controls, line and paragraph separators, interlinear annotation. */
export const controls = /[\p{Cc}\u2028\u2029\uFFF9-\uFFFB]/gu
/** Invisible characters, or those that turn text, so that `exe.fdp` looks like `pdf.exe` (Unicode TR 36, 2.10). */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu
/** Of these, joiners and presentation selectors are kept: scripts and emoji need them. */
const KEPT: ReadonlySet<string> = new Set(['\u200C', '\u200D', '\uFE0E', '\uFE0F'])
/** U+2800 is a Braille pattern without dots. */
const visible = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u
/** Names of Windows devices, with any extension; and a first dash, which programs take for an option (`rm *`). */
const isMisread = /^-|^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/iu

/**
 * Returns one plain file name for every common system: no separators, no control or direction characters, no leading or
 * trailing dots and spaces, no reserved device name, no first dash, at most 255 bytes of UTF-8. Never empty:
 * `otherwise` is the name of what has nothing to read. Different names may become equal, so the caller must still avoid
 * overwriting.
 */
export function safeName(name: string, otherwise = FALLBACK): string {
  const printable = name
    .toWellFormed()
    .replace(controls, '')
    .replace(ignorable, (character) => (KEPT.has(character) ? character : ''))
  const cleaned = ends(trimEnds(oneSpace(printable)))
    .normalize('NFC')
    .replace(forbidden, '_')
  const trimmed = trimEnds(oneSpace(cleaned))
  const named = trimEnds(shortName(isMisread.test(trimmed) ? `_${trimmed}` : trimmed, MAX_NAME_BYTES))
  return isVisible(named) ? named : otherwise
}

/** Whether there is anything to read in it. Letters that are ignorable are fillers. */
export function isVisible(text: string): boolean {
  return visible.test(text.replace(ignorable, ''))
}

function oneSpace(name: string): string {
  return name.replace(/\s+/gu, ' ')
}

function ends(name: string): string {
  return name.length <= HEAD_UNITS + TAIL_UNITS ? name : name.slice(0, HEAD_UNITS) + name.slice(-TAIL_UNITS)
}

/** Leading dots hide a file on Unix; trailing dots and spaces vanish on Windows. */
function trimEnds(name: string): string {
  return trimEnd(name.replace(/^[. ]+/u, ''), '. ')
}

/** Shortens before the extension, never inside a character. */
export function shortName(name: string, maxBytes: number): string {
  if (bytesOf(name) <= maxBytes) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && bytesOf(name.slice(dot)) <= MAX_EXTENSION_BYTES ? name.slice(dot) : ''
  return beginningOf(name.slice(0, name.length - ending.length), maxBytes - bytesOf(ending)) + ending
}

/** As many whole characters as so many bytes of UTF-8 have room for. */
export function beginningOf(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
