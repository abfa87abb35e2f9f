import { controls, isVisible } from '../ground/safeName.ts'

const directions = /\p{Bidi_Control}/gu

/**
 * One line without controls and characters that turn the direction of text. Undefined for one without anything to read.
 */
export function plainLine(text: string | undefined): string | undefined {
  const line = text?.toWellFormed().replace(directions, '').replace(controls, ' ').replace(/\s+/gu, ' ').trim()
  return line !== undefined && isVisible(line) ? line : undefined
}

/** Equal for lines that look the same: an accent is a part of its letter, or a character of its own. */
export function spelled(line: string): string {
  return line.normalize('NFC')
}
