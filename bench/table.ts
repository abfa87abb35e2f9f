/** What people read: a line a comparison, with the target beside what was reached. */
import { cpus, loadavg, release, type } from 'node:os'
import type { Figure, Result } from './row.ts'
import type { Report } from './runRows.ts'

export interface Machine {
  readonly node: string
  readonly system: string
  readonly processor: string
  readonly cores: number
  /** Of the last 1, 5 and 15 minutes. */
  readonly load: readonly number[]
}

export function machineNow(): Machine {
  const processors = cpus()
  return {
    node: process.version,
    system: `${type()} ${release()}`,
    processor: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    load: loadavg(),
  }
}

function describeMachine({ node, system, processor, cores, load }: Machine): string {
  return `Node ${node}, ${system}, ${processor}, ${cores} cores; load at the start ${load.map(short).join(' ')}`
}

export function tableOf({ machine, rounds, isQuick, results, failures }: Report): string {
  const lines = results.map(lineOf)
  const headings = ['', 'figure', 'beside it', 'ratio', '(least–most)', 'target', '', 'load busy']
  return [
    describeMachine(machine),
    `Server, peers and load generator are processes of their own and share these ${machine.cores} cores.`,
    `Median of ${rounds}, interleaved; each ratio is of one round. "Load busy" is the share of a core that the load generator took, beside each of the two: near 100 % it was itself the limit.`,
    ...(isQuick ? ['Quick: small sizes and nothing warm. The figures say that it works, and no more.'] : []),
    '',
    ...aligned([headings, ...lines.map(({ cells }) => cells)]),
    '',
    ...new Set(lines.flatMap(({ notes }) => notes)),
    ...failures.map(({ id, message }) => `${id} FAILED: ${message}`),
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
    reach === undefined ? '' : ratio >= reach ? 'reached' : 'short',
    `${busyOf(figure)} / ${busyOf(beside)}`,
  ]
  return { cells, notes: [`${id}: ${what}`, ...remarks.map((remark) => `${id}: ${remark}`)] }
}

function busyOf({ loadBusy }: Figure): string {
  return loadBusy === undefined ? '–' : `${Math.round(loadBusy * 100)} %`
}

/** Three digits are more than a benchmark knows. */
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
