import { controls } from '../ground/safeName.ts'

const directions = /\p{Bidi_Control}/gu

/** One line without controls and characters that turn the direction of text. Undefined for an empty one. */
export function plainLine(text: string | undefined): string | undefined {
  const line = text?.toWellFormed().replace(directions, '').replace(controls, ' ').replace(/\s+/gu, ' ').trim()
  return line === '' ? undefined : line
}
