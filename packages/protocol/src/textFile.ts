/** Texts that people have written with editors and shells: settings, secrets, links, words. */

/** Of the Encoding Standard, which Node and browsers have alike; this package has the types of neither. */
declare const TextDecoder: new (
  encoding: string,
  options: { readonly fatal: boolean },
) => { decode(bytes: Uint8Array): string }

/** The message is the end of a sentence that begins with the file: `it has …`. */
export class NotText extends Error {
  override readonly name = 'NotText'
}

/** Bytes that no editor writes into a text, but tabulators, line breaks and form feeds. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f]/
/** What a converter leaves where it could not read a character. */
const LOST = '\ufffd'

/**
 * UTF-8 with or without a byte order mark, or UTF-16 with one. Without marks, and with `\n` for each line break. Throws
 * `NotText` for anything else: read in part, it would be a setting without effect, or a password that cannot be typed.
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decoded(bytes)
  if (CONTROL.test(text)) throw new NotText('it has control characters, so it is no text')
  // Of files that were joined, each has its mark.
  return text.replace(/^\ufeff+/gmu, '').replace(/\r\n?/g, '\n')
}

/** As `decodeText`, for a secret that is the whole file: one line, with or without its line break. */
export function decodeLine(bytes: Uint8Array): string {
  const line = decodeText(bytes).replace(/\n$/, '')
  if (line.includes('\n')) throw new NotText('it has more than one line')
  if (line.includes(LOST)) throw new NotText('it has characters that were lost when it was converted')
  return line
}

function decoded(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes)
  if (encoding === 'utf-8' && bytes.includes(0))
    throw new NotText('it has zero bytes: if it is UTF-16 without a byte order mark, save it as UTF-8')
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new NotText(`it is no text in ${encoding.toUpperCase()}`, { cause })
  }
}

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
