/** What a fault run takes and what it reports. */

/** Every run gets these beside its own options. The same seed makes the same choices. */
export interface SharedOptions {
  readonly seed: string
  readonly print: (text: string) => void
}

/** All other members of a report are printed as JSON. */
export interface RunReport {
  /** What is wrong, one sentence each. */
  readonly faults: readonly string[]
  /** The server's log lines of level warning and above. */
  readonly log?: string
}

/** A report, or what this machine lacks for the run. The latter is a failure too: the run has proved nothing. */
export type RunOutcome = RunReport | { readonly missing: string }

/** The server's JSON log lines, without the plain lines that it prints at each start. */
export function loggedBy(output: string): string {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n')
}
