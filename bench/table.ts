/** The report as text: one line for each comparison, with its target. */
import type { Machine, Report } from './report.ts'
import type { Figure, Result } from './row.ts'

function describeMachine({ node, system, processor, cores, load }: Machine): string {
  return `Node ${node}, ${system}, ${processor}, ${cores} cores; load at the start ${load.map(short).join(' ')}`
}

/** Fits into this many columns. */
const MAX_COLUMNS = 100

export function tableOf({ machine, rounds, isQuick, isWatched, results, failures }: Report): string {
  const headings = ['', 'figure', 'ratio', '(min–max)', 'target', '']
  const remarks = results.flatMap(({ id, what, remarks }) => [what, ...remarks].map((text) => `${id}: ${text}`))
  return [
    ...wrapped(describeMachine(machine)),
    ...wrapped(
      `The server, the peers and the load generator are separate processes and share these ${machine.cores} cores.`,
    ),
    ...wrapped(
      `Median of ${rounds} interleaved rounds; each ratio is of one round, to the figure below it. "Busy" is the share of a core that the load generator used: near 100 % the generator itself was the limit.${isWatched ? ' Rounds during which other work took more than a quarter of a core are repeated.' : ' Other work of the machine was not watched.'}`,
    ),
    ...(isQuick ? ['Quick: small sizes and no warm-up. The figures only show that the row works.'] : []),
    '',
    ...aligned([headings, ...results.flatMap(linesOf)]),
    '',
    ...[...new Set(remarks)].flatMap(wrapped),
    ...failures.flatMap(({ name, message }) => wrapped(`${name} FAILED: ${message}`)),
  ].join('\n')
}

/** The figure with its target, and below it what it is compared with. */
function linesOf({ id, unit, figure, beside, ratio, ratios, reach, most }: Result): readonly (readonly string[])[] {
  const isReached = most === undefined ? ratio >= (reach ?? 0) : figure.value <= most
  const target = most === undefined ? (reach === undefined ? '–' : `≥ ${reach}×`) : `≤ ${most} ${unit}`
  const verdict = target === '–' ? '' : isReached ? 'reached' : 'missed'
  const own = [id, textOf(figure, unit)]
  if (beside === undefined) return [[...own, '', '', target, verdict]]
  const spread = `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
  return [
    [...own, `${ratio.toFixed(2)}×`, spread, target, verdict],
    ['', `  ${textOf(beside, unit)}`],
  ]
}

function textOf({ name, value, loadBusy }: Figure, unit: string): string {
  const busy = loadBusy === undefined ? '' : `, busy ${Math.round(loadBusy * 100)} %`
  return `${name} ${short(value)} ${unit}${busy}`
}

/** A benchmark is not precise enough for more than three digits. */
function short(figure: number): string {
  if (figure >= 100) return Math.round(figure).toLocaleString('en')
  return figure.toFixed(figure >= 10 ? 1 : 2)
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function wrapped(text: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > MAX_COLUMNS) {
      lines.push(line)
      line = `  ${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
