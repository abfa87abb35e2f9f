import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { systemClock } from '../adapters/system/clock.ts'
import { openPresentData } from '../assembly/data.ts'
import { isMovedTo, openMoveData } from '../assembly/moveData.ts'
import { blobsAddress, databaseAddress } from '../config/parsers.ts'
import { type MoveProgress, type MoveReport, move } from '../domain/backup/move.ts'
import { formatFinding } from '../domain/fsck/finding.ts'
import { examine } from '../domain/fsck/fsck.ts'
import { newCounts } from '../domain/fsck/options.ts'
import { createVerifiers } from '../domain/fsck/verifiers.ts'
import { createCappedList } from '../domain/ground/cappedList.ts'
import { type Call, type Command, type Outcome, UsageError, withOpen } from './command.ts'
import { requireConsent, YES } from './consent.ts'
import { quotaOf } from './quota.ts'

/** Moving a server up: to PostgreSQL, and to another store of bytes. */
export const migrateToCommands: readonly Command[] = [
  {
    name: 'migrate-to',
    summary: 'Moves this stopped server from SQLite and files to another database and another store of bytes.',
    details: [
      '<DATABASE_URL> and <BLOBS_URL> are the settings of the server after the move. Both places are empty. Passwords do not belong into arguments: PGPASSWORD',
      'or PGPASSFILE holds that of the database. Copies every file and reads it back, then copies all rows and compares them, then checks the receipt log',
      'and all rows there. The old data stays as it is, but no server starts on it again. After an interruption, run it again with the same arguments.',
      'Settings and the master secret (MASTER_SECRET_FILE) are not moved: give the server the same ones. To come back: `backup` there, `restore` here.',
      'The exit status is 1 if a file was damaged or missing already, or if the check finds a fault.',
    ],
    takes: ['DATABASE_URL', 'BLOBS_URL'],
    options: { yes: YES },
    run,
  },
]

async function run(call: Call): Promise<Outcome> {
  const target = targetOf(call)
  if (target.database.kind === 'postgres' && new URL(target.database.url).password !== '')
    call.tell(
      'Warning: the arguments have a password, and other users of this machine can read it there. Use PGPASSWORD or PGPASSFILE, and change this password.',
    )
  const ports = { clock: systemClock, quota: quotaOf(call.config), onProgress: progressTo(call.tell) }
  const onBegin = (note: string) => requireConsent(call, { lines: consequencesOf(note), word: 'move' })
  const report = isMovedTo(call.config, target)
    ? undefined
    : await withOpen(openMoveData(call.config, { target, onBegin }), (data) => move({ ...data, ...ports }))
  call.tell('checking the rows and the receipt log at the target …')
  const found = await withOpen(openPresentData(target), async ({ store, objects }) => {
    const findings = createCappedList<string>()
    const examination = { deep: false, indexes: true, signal: new AbortController().signal, counts: newCounts() }
    for await (const finding of examine({ store, objects, clock: systemClock, verify: createVerifiers() }, examination))
      findings.add(formatFinding(finding))
    return findings
  })
  const faults = found.list.length + found.more
  const moved = movedOf(report)
  return {
    lines: [
      ...moved.lines,
      ...(faults === 0
        ? ['The check at the target found no fault.']
        : [`The check at the target found ${faults} faults:`]),
      ...found.list.map((finding) => `  ${finding}`),
      faults === 0
        ? 'Next: set DATABASE_URL and BLOBS_URL to the new places, keep all other settings and the master secret, and start the server.'
        : 'Start no server there before you know their cause: `blindkeep-server fsck`, with DATABASE_URL and BLOBS_URL set to the new places, shows them again. The old data is unchanged.',
    ],
    json: {
      ...moved.json,
      findings: found.list,
      ...(found.more > 0 && { findings_not_told: found.more }),
    },
    isWrong: moved.isWrong === true || faults > 0,
  }
}

function consequencesOf(note: string): readonly string[] {
  return [
    'This copies every file and row of this server. At its end:',
    note,
    'No server starts on the old data then. To come back, the server is backed up there and restored here.',
  ]
}

/** `report` is absent if an earlier run moved everything, and was interrupted before it had checked it. */
function movedOf(report: MoveReport | undefined): Outcome & { readonly json: object } {
  if (report === undefined) return { lines: ['Everything was moved before.'], json: {}, isWrong: false }
  const { objects, rows, damaged } = report
  const lost = damaged.list.length + damaged.more
  return {
    lines: [
      `Moved ${countText(objects.files, 'file')} (${sizeText(objects.bytes)}) and ${countText(rows, 'row')}; each was read back and is equal.`,
      ...(lost === 0 ? [] : [`NOT moved, because they were damaged or missing already (${lost}):`]),
      ...damaged.list.map((location) => `  ${location}`),
    ],
    json: {
      files: objects.files,
      bytes: objects.bytes,
      rows,
      damaged: damaged.list,
      ...(damaged.more > 0 && { damaged_not_told: damaged.more }),
    },
    isWrong: lost > 0,
  }
}

function targetOf({ config, given: [databaseUrl = '', blobsUrl = ''] }: Call): Call['config'] {
  const [database, blobs] = [databaseAddress(databaseUrl), blobsAddress(blobsUrl)]
  if ('fault' in database) throw new UsageError(`DATABASE_URL ${database.fault}`)
  if ('fault' in blobs) throw new UsageError(`BLOBS_URL ${blobs.fault}`)
  return { ...config, database: database.value, blobs: blobs.value }
}

const PROGRESS_MS = 2_000

/** Reports each step at its start, and its progress every two seconds. */
function progressTo(tell: Call['tell']): (progress: MoveProgress) => void {
  let last: { readonly step: string; readonly at: number } | undefined
  return ({ step, count, bytes }) => {
    const now = systemClock.now()
    if (last?.step === step && now - last.at < PROGRESS_MS) return
    last = { step, at: now }
    tell(`${step}: ${count}${bytes === 0 ? '' : `, ${sizeText(bytes)}`}`)
  }
}
