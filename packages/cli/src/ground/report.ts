/** What a person or a program is shown. Nothing that passes here moves a cursor: see `terminalText`. */
import { shown, shownLines } from '@blindkeep/protocol/terminalText'
import { type Heading, table } from './table.ts'
import { jsonLine } from './texts.ts'
import { cut, wide } from './width.ts'

export interface Report {
  /** A result: `text` for people, `fact` for programs (`--json`). */
  result(text: string, fact: object): void
  /** A part of a result that only programs read. */
  fact(fact: object): void
  /** A result that is shown only now, or that the command was called for alone: also with `--quiet`. */
  answer(text: string, fact: object): void
  /** Words about a result, for people: on standard error, so that they stay out of what a pipe reads. */
  aside(text: string): void
  /** Why nothing happens, where no row of `progress` says it: on standard error, with `--json` also a fact. */
  waiting(text: string, fact: object): void
  /** What is wrong: on standard error, also with `--quiet`; with `--json` also as a fact. */
  problem(text: string, fact: object): void
  /** Results in columns, with headings for people. `none`: a person's empty list; programs read nothing. */
  list(headings: readonly Heading[], rows: readonly Row[], none: string): void
  /** Rows that replace the last ones, on a terminal only. They learn how many columns they have. */
  progress(rows: (columns: number) => readonly string[]): void
  /** Leaves the terminal to others. */
  end(): void
}

export interface Row {
  /** One for each heading. */
  readonly cells: readonly string[]
  readonly fact: object
}

export interface ReportFlags {
  readonly json?: boolean
  readonly quiet?: boolean
}

/** Often enough to look steady. */
const REDRAW_MS = 100

export function createReport({ json = false, quiet = false }: ReportFlags): Report {
  const { stdout, stderr } = process
  const isLive = stderr.isTTY === true && !json && !quiet
  /** Since the first rows. */
  let live: ReturnType<ReturnType<typeof wide>['createLogUpdate']> | undefined
  let drawnAt = 0
  const clear = () => {
    live?.clear()
    drawnAt = 0
  }
  return {
    result(text, fact) {
      clear()
      if (json) stdout.write(`${jsonLine(fact)}\n`)
      else if (!quiet) stdout.write(`${shownLines(text)}\n`)
    },
    fact(fact) {
      if (json) stdout.write(`${jsonLine(fact)}\n`)
    },
    answer(text, fact) {
      clear()
      stdout.write(`${json ? jsonLine(fact) : shownLines(text)}\n`)
    },
    aside(text) {
      clear()
      if (!json && !quiet) stderr.write(`${shownLines(text)}\n`)
    },
    list(headings, rows, none) {
      clear()
      if (json) for (const { fact } of rows) stdout.write(`${jsonLine(fact)}\n`)
      else if (!quiet) {
        const text = rows.length === 0 ? none : table(headings, rows.map(cellsOf), stdout.columns || undefined)
        stdout.write(`${shownLines(text)}\n`)
      }
    },
    problem(text, fact) {
      clear()
      if (json) stdout.write(`${jsonLine(fact)}\n`)
      stderr.write(`blindkeep: ${shownLines(text)}\n`)
    },
    waiting(text, fact) {
      if (isLive) return
      if (json) stdout.write(`${jsonLine(fact)}\n`)
      if (!quiet) stderr.write(`blindkeep: ${shownLines(text)}\n`)
    },
    progress(rows) {
      const now = performance.now()
      if (!isLive || now - drawnAt < REDRAW_MS) return
      drawnAt = now
      // One column less: some terminals wrap a full row.
      const columns = Math.max(10, (stderr.columns || 80) - 1)
      live ??= wide().createLogUpdate(stderr)
      live(
        rows(columns)
          .map((row) => cut(shown(row), columns, 'middle'))
          .join('\n'),
      )
    },
    end: clear,
  }
}

const cellsOf = ({ cells }: Row) => cells.map(shown)
