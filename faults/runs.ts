/** The table of fault runs. A run is a row: its name, its options, how short it is in CI, and the function that does it. */
import { runR1 } from './r1.ts'
import { runR2 } from './r2.ts'
import { runR2a } from './r2a.ts'
import { runR4 } from './r4.ts'
import { runR6 } from './r6.ts'
import { runR8 } from './r8.ts'
import { runR11 } from './r11.ts'
import { runR14 } from './r14.ts'
import { runReceiptLog } from './receiptLog.ts'
import { runVerifyRaces } from './verifyRaces.ts'

/** What every run is given beside its own options. The same seed makes the same choices. */
export interface SharedOptions {
  readonly seed: string
  readonly tell: (text: string) => void
}

/** Whatever else a report has is told as JSON. */
export interface RunReport {
  /** What was found wrong, as sentences. */
  readonly faults: readonly string[]
  /** What the server has logged as a warning or worse. */
  readonly log?: string
}

/** A report, or why there can be none on this machine, which is a failure as well: what is required and absent was not shown to be so. */
export type RunOutcome = RunReport | { readonly missing: string }

/** A number is a whole one, at least 1. */
export type OptionValues = Readonly<Record<string, number | string>>

export interface FaultRun {
  readonly id: string
  readonly about: string
  /** Each with what it is when it is left out. */
  readonly options: OptionValues
  /** The options of the short form that CI runs; undefined keeps it out of CI. */
  readonly ci: OptionValues | undefined
  run(shared: SharedOptions, options: OptionValues): Promise<RunOutcome>
}

interface Row<Options extends OptionValues> {
  readonly id: string
  readonly about: string
  readonly options: Options
  /** Where they differ from those. */
  readonly ci?: Partial<NoInfer<Options>>
  run(options: SharedOptions & NoInfer<Options>): Promise<RunOutcome>
}

/** Holds a row's function to the options that the row names. */
function row<Options extends OptionValues>({ id, about, options, ci, run }: Row<Options>): FaultRun {
  return {
    id,
    about,
    options,
    ci: ci === undefined ? undefined : { ...options, ...ci },
    run: (shared, given) => run({ ...options, ...given, ...shared }),
  }
}

/** In the order in which CI runs them. */
export const FAULT_RUNS: readonly FaultRun[] = [
  row({
    id: 'R1',
    about:
      'kill -9 at every so-maniest call that reaches the disk, over a story from its link to its deletion (needs strace)',
    options: { every: 5 },
    ci: {},
    run: runR1,
  }),
  row({
    id: 'R2',
    about: 'kill -9 at random moments under load',
    options: { kills: 50, guests: 8 },
    ci: {},
    run: runR2,
  }),
  row({
    id: 'R2a',
    about: 'kill -9 among adoptions, until each window was hit so often',
    options: { hits: 10 },
    ci: { hits: 3 },
    run: runR2a,
  }),
  row({
    id: 'R4',
    about: 'the disk runs full and is freed again (needs root, for a small tmpfs)',
    options: { rounds: 10, guests: 8 },
    ci: {},
    run: runR4,
  }),
  row({
    id: 'R6',
    about: 'races of 64 requests, so many rounds of each; or of those alone in whose names --race is',
    options: { rounds: 50, race: '' },
    ci: {},
    run: runR6,
  }),
  row({
    id: 'R8',
    about: 'every operation asked by everybody, rightly and wrongly, with so many commands',
    options: { commands: 20_000 },
    ci: {},
    run: runR8,
  }),
  row({
    id: 'R11',
    about:
      'what strangers can learn: known e-mails against unknown ones by time (Welch’s t) and by bytes, what is hidden by bytes',
    options: { samples: 2_000 },
    ci: {},
    run: runR11,
  }),
  row({
    id: 'receipts',
    about:
      'receipts of concurrent guests while keys rotate and the server is restarted; then each alteration of the log has to be found',
    options: { count: 10_000, rotations: 3, restarts: 2, bytes: 200, fscks: 12 },
    ci: { count: 1_000, fscks: 4 },
    run: runReceiptLog,
  }),
  row({
    id: 'verify',
    about:
      'verification races deleting, replacing, discarding and the collector; what is called durable is watched on the disk for the window',
    options: { rounds: 1_000 },
    ci: { rounds: 200 },
    run: runVerifyRaces,
  }),
  row({
    id: 'R14',
    about: 'backups under load, some of them killed, each restored elsewhere and looked through',
    options: { rounds: 5, guests: 8 },
    ci: { rounds: 1 },
    run: runR14,
  }),
]
