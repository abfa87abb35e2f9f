/** The lines of a settings file, for messages: what Node's reader (`util.parseEnv`) makes of them or skips. */

export interface SettingsLine {
  /** From 1 on. */
  readonly number: number
  /** Undefined if the line sets nothing: it has no `=`, or no name before it. */
  readonly name: string | undefined
  /** Its first word. Of a line that sets nothing it may be a secret. */
  readonly word: string
}

/** Without empty lines, comments, and the further lines of a value in quotes. */
export function settingsLines(text: string): readonly SettingsLine[] {
  const lines: SettingsLine[] = []
  const normalised = text.replaceAll('\r\n', '\n')
  let number = 0
  for (let start = 0; start < normalised.length; ) {
    number += 1
    const end = endOfLine(normalised, start)
    const line = normalised.slice(start, end).trim()
    if (line === '' || line.startsWith('#')) {
      start = end + 1
      continue
    }
    const equals = line.indexOf('=')
    const name = line
      .slice(0, Math.max(0, equals))
      .replace(/^export\s+/, '')
      .trim()
    lines.push({ number, name: name === '' ? undefined : name, word: line.match(/^[^\s=:]+/)?.[0] ?? '' })
    const closed = equals === -1 ? end : endOfValue(normalised, normalised.indexOf('=', start) + 1, end)
    number += normalised.slice(end, closed).split('\n').length - 1
    start = closed + 1
  }
  return lines
}

/** The end of the line in which the value ends: another one if the value begins with a quote that is closed later. */
function endOfValue(text: string, from: number, end: number): number {
  const [quote = ''] = text.slice(from, end).trimStart()
  if (!['"', "'", '`'].includes(quote)) return end
  const closing = text.indexOf(quote, text.indexOf(quote, from) + 1)
  return closing === -1 ? end : endOfLine(text, closing)
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found === -1 ? text.length : found
}
