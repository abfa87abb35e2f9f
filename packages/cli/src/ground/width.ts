/** How wide a text is on a terminal, and what fits into so many columns. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
/** Not imported: the tables of emoji of these packages take 30 ms, as much as the rest of a start without network. */
export const wide = (): typeof import('./wide.ts') => require('./wide.ts')

/** Texts that take a column for each character. */
const PLAIN = /^[ -~]*$/

export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : wide().stringWidth(text)
}

/** The text, or what fits of it with an ellipsis in place of its end or its middle. */
export function cut(text: string, columns: number, position: 'end' | 'middle' = 'end'): string {
  return PLAIN.test(text) && text.length <= columns ? text : wide().cliTruncate(text, columns, { position })
}
