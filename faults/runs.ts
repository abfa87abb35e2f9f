/** The fault runs: names, options, short form for CI, and function. */

import { runBackupUnderLoad } from './backup/backupUnderLoad.ts'
import { runDatabaseFaults } from './database/databaseFaults.ts'
import { runFullDisk } from './disk/fullDisk.ts'
import type { RunOutcome, SharedOptions } from './harness/report.ts'
import { runAdoptionKills } from './kills/adoptionKills.ts'
import { runRandomKills } from './kills/randomKills.ts'
import { runSyscallKills } from './kills/syscallKills.ts'
import { runAllFaults, runStoreFaults } from './nodes/clusterFaults.ts'
import { runNodeKills } from './nodes/nodeKills.ts'
import { runAlerts } from './operator/alerts.ts'
import { runRaces } from './races/races.ts'
import { runVerifyRaces } from './races/verifyRaces.ts'
import { runReceiptLog } from './receipts/receiptLog.ts'
import { runFuzz } from './requests/fuzz.ts'
import { runHostileGuests } from './requests/hostileGuests.ts'
import { runIndistinguishable } from './requests/indistinguishable.ts'

/** A number is an integer of at least 1. */
export type OptionValues = Readonly<Record<string, number | string>>

export interface FaultRun {
  readonly name: string
  /** The short id by which documents cite the run. The command line takes both. */
  readonly id?: string
  readonly about: string
  /** With their defaults. */
  readonly options: OptionValues
  /** The options of the short form in CI; undefined keeps the run out of CI. */
  readonly ci: OptionValues | undefined
  /** In CI it has the machine to itself. */
  readonly measuresTime: boolean
  run(shared: SharedOptions, options: OptionValues): Promise<RunOutcome>
}

interface Row<Options extends OptionValues> extends Pick<FaultRun, 'name' | 'id' | 'about'> {
  readonly options: Options
  /** Only the options that differ from the defaults. */
  readonly ci?: Partial<NoInfer<Options>>
  readonly measuresTime?: boolean
  run(options: SharedOptions & NoInfer<Options>): Promise<RunOutcome>
}

/** Its type makes sure that a row's function takes the options that the row names. */
function row<Options extends OptionValues>({
  options,
  ci,
  run,
  measuresTime = false,
  ...described
}: Row<Options>): FaultRun {
  return {
    ...described,
    options,
    measuresTime,
    ci: ci === undefined ? undefined : { ...options, ...ci },
    run: (shared, given) => run({ ...options, ...given, ...shared }),
  }
}

/** CI begins them in this order: the longest first, so that the lanes end together. */
export const FAULT_RUNS: readonly FaultRun[] = [
  row({
    name: 'random-kills',
    id: 'R2',
    about: 'kill -9 at random moments under load',
    options: { kills: 50, guests: 8 },
    ci: { kills: 20 },
    run: runRandomKills,
  }),
  row({
    name: 'syscall-kills',
    id: 'R1',
    about:
      'kill -9 before every nth system call that reaches the disk, over the whole life of drops and assets (needs strace)',
    options: { every: 5 },
    ci: { every: 9 },
    run: runSyscallKills,
  }),
  row({
    name: 'fuzz',
    id: 'R8',
    about: 'valid and malformed requests to every operation, from every kind of caller',
    options: { commands: 20_000 },
    ci: { commands: 10_000 },
    run: runFuzz,
  }),
  row({
    name: 'races',
    id: 'R6',
    about:
      'races of 64 requests, --rounds rounds of each; --race runs only the races whose name contains the text; --nodes runs them on so many nodes',
    options: { rounds: 50, race: '', nodes: 1 },
    ci: { rounds: 6 },
    run: runRaces,
  }),
  row({
    name: 'node-races',
    about: 'the same races over two nodes, which share a PostgreSQL and an S3 store (needs root)',
    options: { rounds: 50, race: '', nodes: 2 },
    ci: { rounds: 2 },
    run: runRaces,
  }),
  row({
    name: 'adoption-kills',
    id: 'R2a',
    about:
      'kill -9 during adoptions, until --hits kills have hit each window (before, between, after claim and settling)',
    options: { hits: 10 },
    ci: { hits: 3 },
    run: runAdoptionKills,
  }),
  row({
    name: 'full-disk',
    id: 'R4',
    about: 'the disk fills up under load and is freed again (needs root, for a small tmpfs)',
    options: { rounds: 10, guests: 8 },
    ci: {},
    run: runFullDisk,
  }),
  row({
    name: 'indistinguishable',
    id: 'R11',
    about:
      'what answers reveal: compares known and unknown e-mails by time (Welch’s t) and bytes, and hidden data by bytes',
    options: { samples: 2_000 },
    ci: { samples: 1_200 },
    measuresTime: true,
    run: runIndistinguishable,
  }),
  row({
    name: 'receipts',
    about:
      'receipts of concurrent guests during key rotations and restarts; then every alteration of the log must be detected',
    options: { count: 10_000, rotations: 3, restarts: 2, bytes: 200, fscks: 12 },
    ci: { count: 600, fscks: 4 },
    run: runReceiptLog,
  }),
  row({
    name: 'verify',
    about:
      'storage verification races with deletion, replacement, discard and the collector; bytes called durable must stay on disk for the grace window',
    options: { rounds: 1_000 },
    ci: { rounds: 200 },
    run: runVerifyRaces,
  }),
  row({
    name: 'backup-under-load',
    id: 'R14',
    about: 'backups under load, some of them killed; each is restored elsewhere and checked',
    options: { rounds: 5, guests: 8 },
    ci: { rounds: 1 },
    run: runBackupUnderLoad,
  }),
  row({
    name: 'hostile-guests',
    id: 'R15',
    about:
      'rude guests beside honest ones, who must meet no error and hardly wait; --attack runs only the attacks whose name contains the text (needs Linux)',
    options: { rounds: 12, files: 300, guests: 30, attack: '' },
    ci: { rounds: 6, files: 100 },
    measuresTime: true,
    run: runHostileGuests,
  }),
  row({
    name: 'database-faults',
    id: 'R16',
    about:
      'PostgreSQL is cut off, hangs, crashes, fails over, loses commits, runs out of connections or disk, under load; --within so many seconds after that something lands again; --cause runs only the causes whose name contains the text (needs root, for a small tmpfs)',
    options: { rounds: 200, guests: 8, cause: '', within: 10 },
    // Other work on CI's machine must not fail it: there it only has to come back.
    ci: { rounds: 10, within: 30 },
    run: runDatabaseFaults,
  }),
  row({
    name: 'node-faults',
    id: 'R17',
    about:
      'several nodes on one PostgreSQL and one S3 store, killed or frozen at random moments, for a moment or past all leases, two at a time (needs root)',
    options: { kills: 200, freezes: 200, guests: 8, nodes: 3 },
    ci: { kills: 6, freezes: 6 },
    run: runNodeKills,
  }),
  row({
    name: 'store-faults',
    id: 'R18',
    about:
      'two nodes; the S3 store loses, repeats, delays, refuses, and lies; --within so many seconds after that something lands again; --cause as above (needs root)',
    options: { rounds: 200, guests: 8, nodes: 2, cause: '', within: 10 },
    ci: { rounds: 6, within: 30 },
    run: runStoreFaults,
  }),
  row({
    name: 'alerts',
    about:
      'servers that are killed, have no room, no database, damage or a wrong clock: each is in an alert of a real Prometheus and in the log within so many seconds (needs prometheus, faketime, and root for a small tmpfs)',
    options: { within: 75 },
    run: runAlerts,
  }),
  row({
    name: 'all-faults',
    about: 'all of database-faults, node-faults and store-faults in one place; --cause as above (needs root)',
    options: { rounds: 200, guests: 8, nodes: 3, cause: '' },
    run: runAllFaults,
  }),
]

export function findRun(nameOrId: string | undefined): FaultRun | undefined {
  return FAULT_RUNS.find(({ name, id }) => nameOrId !== undefined && (nameOrId === name || nameOrId === id))
}
