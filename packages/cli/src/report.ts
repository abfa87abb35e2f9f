/** What a person or a program is shown. */
import cliTruncate from 'cli-truncate'
import { createLogUpdate } from 'log-update'

export interface Report {
  /** A result: `text` for people, `fact` for programs (`--json`). */
  result(text: string, fact: object): void
  /** What is wrong: on standard error, also with `--quiet`; with `--json` also as a fact. */
  problem(text: string, fact: object): void
  /** Rows that replace the last ones, on a terminal only. */
  progress(rows: () => readonly string[]): void
  /** Leaves the terminal to others. */
  end(): void
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
  const live = createLogUpdate(stderr)
  let drawnAt = 0
  const clear = () => {
    if (isLive) live.clear()
    drawnAt = 0
  }
  return {
    result(text, fact) {
      clear()
      if (json) stdout.write(`${JSON.stringify(fact)}\n`)
      else if (!quiet) stdout.write(`${text}\n`)
    },
    problem(text, fact) {
      clear()
      if (json) stdout.write(`${JSON.stringify(fact)}\n`)
      stderr.write(`blindkeep: ${text}\n`)
    },
    progress(rows) {
      const now = performance.now()
      if (!isLive || now - drawnAt < REDRAW_MS) return
      drawnAt = now
      // One column less: some terminals wrap a full row.
      const columns = Math.max(10, (stderr.columns ?? 80) - 1)
      live(
        rows()
          .map((row) => cliTruncate(row, columns, { position: 'middle' }))
          .join('\n'),
      )
    },
    end: clear,
  }
}
