/** Lists for people: columns, and on a terminal that is too narrow for them a few lines for each row. */
import { cut, widthOf } from './width.ts'

/** A column. If it `shrinks`, long cells lose their middle on narrow terminals: texts, never numbers, times or ids. */
export type Heading = string | { readonly text: string; readonly shrinks: true }

export const shrinking = (text: string): Heading => ({ text, shrinks: true })

const GAP = 2
/** A column that shrinks keeps this much. */
const MIN_WIDTH = 12
/** What a value keeps beside its heading, however narrow the terminal is. */
const MIN_VALUE_WIDTH = 8

/** Without a terminal, a longer cell pushes its row aside and does not widen all others. */
const MAX_PADDED = 40

/** `columns`: those of the terminal; without them nothing is cut. */
export function table(
  headings: readonly Heading[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string {
  const titles = headings.map((heading) => (typeof heading === 'string' ? heading : heading.text))
  const lines = [titles, ...rows]
  const natural = titles.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))))
  const isBound = Number.isFinite(columns)
  const widths = isBound ? shrunk(headings, natural, columns) : natural.map((width) => Math.min(width, MAX_PADDED))
  if (totalOf(widths) > columns) return rows.map((row) => record(titles, row, columns)).join('\n\n')
  return lines
    .map((line) => line.map((cell, column) => filled(cell, { widths, column, isBound })).join(' '.repeat(GAP)))
    .join('\n')
}

const totalOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + GAP, -GAP)

/** Takes from the widest column that shrinks, until all fit or none can. */
function shrunk(headings: readonly Heading[], natural: readonly number[], columns: number): readonly number[] {
  const widths = [...natural]
  while (totalOf(widths) > columns) {
    const able = widths.map((width, column) => (typeof headings[column] === 'string' || width <= MIN_WIDTH ? 0 : width))
    const widest = able.indexOf(Math.max(...able))
    if (!able[widest]) return widths
    widths[widest] = able[widest] - 1
  }
  return widths
}

/** As wide as its column. The last one is not filled up. */
function filled(
  cell: string,
  {
    widths,
    column,
    isBound,
  }: { readonly widths: readonly number[]; readonly column: number; readonly isBound: boolean },
): string {
  const width = widths[column] ?? 0
  const text = isBound && widthOf(cell) > width ? cut(cell, width, 'middle') : cell
  return column === widths.length - 1 ? text : text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** One row as lines, each with its heading. Nothing is cut: long values go on below themselves. */
function record(titles: readonly string[], cells: readonly string[], columns: number): string {
  const width = Math.max(...titles.map((title) => widthOf(title)))
  const room = Math.max(MIN_VALUE_WIDTH, columns - width - GAP)
  return cells
    .flatMap((cell, column) => {
      if (cell === '') return []
      const title = titles[column] ?? ''
      return wrapped(cell, room).map((line, index) => {
        const beside = index === 0 ? title : ''
        return beside + ' '.repeat(width + GAP - widthOf(beside)) + line
      })
    })
    .join('\n')
}

/** Lines of at most `room` columns, broken at spaces where there are some. */
function wrapped(text: string, room: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= room) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (widthOf(line + character) > room) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}
