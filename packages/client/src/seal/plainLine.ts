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

/** Equal for labels that mean one question: an owner does not mind their case. ß is SS. */
export function labelKey(label: string): string {
  return spelled(spelled(label).toUpperCase())
}

/**
 * What a label means, everywhere: the first that is called so, and where none is, the first whose label differs in case
 * alone. Older links may have two of those.
 */
export function findByLabel<Item>(
  items: readonly Item[],
  label: string,
  labelOf: (item: Item) => string,
): Item | undefined {
  const [exact, key] = [spelled(label), labelKey(label)]
  return items.find((item) => spelled(labelOf(item)) === exact) ?? items.find((item) => labelKey(labelOf(item)) === key)
}
