/**
 * Names that other people gave to files. A name is shown as text anywhere, but before it names a file on a disk it goes through here.
 */

/** Longest file name that common file systems take, in bytes of UTF-8. */
const MAX_NAME_BYTES = 255
const FALLBACK = 'unnamed'
/** Longest ending that is kept when a name has to be cut. */
const MAX_EXTENSION_BYTES = 32

/** Separators of any system, and what Windows forbids in names. */
const forbidden = /[/\\:*?"<>|]/gu
/** C0 and C1 controls, line and paragraph separators, interlinear annotation. */
const controls = /[\p{Cc}\u2028\u2029\uFFF9-\uFFFB]/gu
/** Characters that show nothing, or turn the direction of what follows, so that `exe.fdp` looks like `pdf.exe` (Unicode TR 36, section 2.10). */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu
/** Of these, the joiners and the two presentation selectors that scripts and emoji are written with. */
const KEPT: ReadonlySet<string> = new Set(['\u200C', '\u200D', '\uFE0E', '\uFE0F'])
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Devices that Windows opens under these names, whatever the ending. */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/iu

/**
 * A name that is one plain file name on every common system: no separators, no control or direction characters, no leading or trailing dots and spaces,
 * no reserved device, at most 255 bytes of UTF-8. Never empty. Different names may come out equal, so whoever writes must still not overwrite.
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

/** Cuts in the middle, before the ending, and never inside a character. */
function shorten(name: string): string {
  if (bytesOf(name) <= MAX_NAME_BYTES) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && bytesOf(name.slice(dot)) <= MAX_EXTENSION_BYTES ? name.slice(dot) : ''
  const room = MAX_NAME_BYTES - bytesOf(ending)
  let stem = ''
  let used = 0
  for (const character of name.slice(0, name.length - ending.length)) {
    used += bytesOf(character)
    if (used > room) break
    stem += character
  }
  return stem + ending
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
