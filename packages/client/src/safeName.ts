/** File names from other people. A name may be shown as text anywhere, but before it names a file on a disk it must pass through `safeName`. */

/** Longest file name of common file systems, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255
const FALLBACK = 'unnamed'
/** Longest file extension that is kept when a name is shortened. */
const MAX_EXTENSION_BYTES = 32

/** Path separators of any system, and characters that Windows forbids. */
const forbidden = /[/\\:*?"<>|]/gu
/** C0 and C1 controls, line and paragraph separators, interlinear annotation. */
const controls = /[\p{Cc}\u2028\u2029\uFFF9-\uFFFB]/gu
/**
 * Characters that are invisible, or that change the direction of the text after them, so that `exe.fdp` looks like `pdf.exe` (Unicode TR 36, section
 * 2.10).
 */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu
/** Of these, joiners and presentation selectors are kept: scripts and emoji need them. */
const KEPT: ReadonlySet<string> = new Set(['\u200C', '\u200D', '\uFE0E', '\uFE0F'])
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Names of Windows devices, with any extension. */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/iu

/**
 * Returns one plain file name for every common system: no separators, no control or direction characters, no leading or trailing dots and spaces, no
 * reserved device name, at most 255 bytes of UTF-8. Never empty. Different names may become equal, so the caller must still avoid overwriting.
 */
export function safeName(name: string): string {
  const cleaned = name
    .toWellFormed()
    .replace(controls, '')
    .replace(ignorable, (character) => (KEPT.has(character) ? character : ''))
    .normalize('NFC')
    .replace(forbidden, '_')
    .replace(/\s+/gu, ' ')
  const trimmed = trimEnds(cleaned)
  const named = trimEnds(shorten(reserved.test(trimmed) ? `_${trimmed}` : trimmed))
  return visible.test(named) ? named : FALLBACK
}

/** Leading dots hide a file on Unix; trailing dots and spaces vanish on Windows. */
function trimEnds(name: string): string {
  return name.replace(/^[. ]+|[. ]+$/gu, '')
}

/** Shortens before the extension, never inside a character. */
function shorten(name: string): string {
  if (bytesOf(name) <= MAX_NAME_BYTES) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && bytesOf(name.slice(dot)) <= MAX_EXTENSION_BYTES ? name.slice(dot) : ''
  const stemBytes = MAX_NAME_BYTES - bytesOf(ending)
  let stem = ''
  let used = 0
  for (const character of name.slice(0, name.length - ending.length)) {
    used += bytesOf(character)
    if (used > stemBytes) break
    stem += character
  }
  return stem + ending
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
