/** The report as text: one line for each comparison, with its target. */
import type { Machine, Report } from './report.ts'
import type { Figure, Result } from './row.ts'

function describeMachine({ node, system, processor, cores, load }: Machine): string {
  return `Node ${node}, ${system}, ${processor}, ${cores} cores; load at the start ${load.map(short).join(' ')}`
}

export function tableOf({ machine, rounds, isQuick, results, failures }: Report): string {
  const lines = results.map(lineOf)
  const headings = ['', 'figure', 'beside it', 'ratio', '(min–max)', 'target', '', 'load busy']
  return [
    describeMachine(machine),
    `The server, the peers and the load generator are separate processes and share these ${machine.cores} cores.`,
    `Median of ${rounds} interleaved rounds; each ratio is of one round. "Load busy" is the share of a core that the load generator used for each of the two: near 100 % the generator itself was the limit.`,
    ...(isQuick ? ['Quick: small sizes and no warm-up. The figures only show that the row works.'] : []),
    '',
    ...aligned([headings, ...lines.map(({ cells }) => cells)]),
    '',
    ...new Set(lines.flatMap(({ notes }) => notes)),
    ...failures.map(({ name, message }) => `${name} FAILED: ${message}`),
  ].join('\n')
}

function lineOf(result: Result): { readonly cells: readonly string[]; readonly notes: readonly string[] } {
  const { id, what, unit, figure, beside, ratio, ratios, reach, remarks } = result
  const cells = [
    id,
    `${figure.name} ${short(figure.perSecond)} ${unit}`,
    `${beside.name} ${short(beside.perSecond)} ${unit}`,
    `${ratio.toFixed(2)}×`,
    `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    reach === undefined ? '–' : `≥ ${reach}×`,
    reach === undefined ? '' : ratio >= reach ? 'reached' : 'missed',
    `${busyOf(figure)} / ${busyOf(beside)}`,
  ]
  return { cells, notes: [`${id}: ${what}`, ...remarks.map((remark) => `${id}: ${remark}`)] }
}

function busyOf({ loadBusy }: Figure): string {
  return loadBusy === undefined ? '–' : `${Math.round(loadBusy * 100)} %`
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
