import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { systemRandom } from '../adapters/system/random.ts'
import { openRepairData } from '../assembly/backupData.ts'
import { clockOf, type Data, openPresentData } from '../assembly/data.ts'
import { createBringing } from '../domain/backup/bringBack.ts'
import { createFinding, type Finding, formatFinding, OF_BYTES, REMEDIES, type Repair } from '../domain/fsck/finding.ts'
import { examine } from '../domain/fsck/fsck.ts'
import { isOurs } from '../domain/fsck/objects.ts'
import { type Counts, newCounts } from '../domain/fsck/options.ts'
import { repair } from '../domain/fsck/repair.ts'
import { createVerifiers } from '../domain/fsck/verifiers.ts'
import { type CappedList, type CappedListBuilder, createCappedList } from '../domain/ground/cappedList.ts'
import type { BackupDirectory } from '../ports/backup.ts'
import type { Clock } from '../ports/clock.ts'
import { ForeignSchema, StorageUnavailable, StoreDamaged, ValueUnreadable } from '../ports/store.ts'
import { repeat } from './backup.ts'
import { type Call, type Command, type Outcome, UsageError, withOpen } from './command.ts'
import { quotaOf } from './quota.ts'

const PROGRESS_MS = 2_000

export const fsckCommands: readonly Command[] = [
  {
    name: 'fsck',
    summary: 'Checks that the data directory is intact, or says what is wrong, where, and what to do.',
    details: [
      'Compares rows with rows and rows with files, and verifies every receipt with both signatures. The server may run; the master secret is not',
      'needed. Exit status: 0 all is intact or repaired · 1 something is wrong, or the check did not finish · 2 the call was wrong.',
      '--repair-from takes an older backup, too, and without its master secret: of it only bytes count that have the length and the hash that the',
      'database here has. It replaces no object that is intact, and ends no session. With --deep it also finds bytes that nothing has noticed yet.',
    ],
    options: {
      deep: { value: 'flag', meaning: 'Also reads and hashes every byte.' },
      repair: {
        value: 'flag',
        meaning:
          'Repairs what has one right value: counters, claims, marks. Deletes nothing, and changes nothing in a damaged database.',
      },
      'repair-from': {
        value: 'BACKUP',
        meaning: 'As --repair, and brings back from this backup the objects that are missing, damaged or unreadable.',
      },
      'dry-run': {
        value: 'flag',
        meaning: 'Changes nothing, and says what --repair-from would bring back.',
      },
    },
    run,
  },
]

interface Repaired {
  readonly finding: Finding
  readonly done: string
}

interface Left {
  readonly finding: Finding
  /** What the backup means for it. */
  readonly fromBackup?: string | undefined
  /** Why a repair failed. */
  readonly notRepaired?: string | undefined
}

interface Said extends Left {
  readonly todo: string
}

/** `directory`: of the backup that objects are brought back from. */
type Opened = Data & { readonly directory?: BackupDirectory }

const MARKS: ReadonlySet<Repair['repair'] | undefined> = new Set(['mark_damaged', 'mark_unreadable'])

async function run(call: Call): Promise<Outcome> {
  const [backup, isDry] = [call.option('repair-from'), call.flag('dry-run')]
  if (isDry && backup === undefined)
    throw new UsageError('`--dry-run` says what `--repair-from BACKUP` would bring back: add that.')
  const result: Result = {
    counts: newCounts(),
    left: createCappedList(),
    repaired: createCappedList(),
    broughtBack: backup === undefined || isDry ? undefined : { objects: 0, bytes: 0 },
  }
  const { counts, left } = result
  const count = () => left.list.length + left.more
  const tell = () => call.tell([countsText(counts), countText(count(), 'fault'), ...broughtText(result)].join(' · '))
  const progress = setInterval(tell, PROGRESS_MS)
  const opening: Promise<Opened> =
    backup === undefined ? openPresentData(call.config) : openRepairData(call.config, backup, { isDry })
  try {
    await withOpen(opening, (data) => check(call, data, result))
    return outcomeOf(result, call)
  } catch (error) {
    if (error instanceof ForeignSchema)
      for (const what of error.differences)
        left.add({ finding: createFinding('schema_changed', {}, `the database has ${what}`) })
    else if (error instanceof StoreDamaged || error instanceof ValueUnreadable)
      left.add({ finding: createFinding('database_damaged', {}, `it cannot be read: ${reasonOf(error)}`) })
    // Findings from before the error still count.
    else if (count() === 0) throw error
    return outcomeOf({ ...result, end: reasonOf(error) }, call)
  } finally {
    clearInterval(progress)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

async function check(call: Call, data: Opened, { counts, left, repaired, broughtBack }: Result): Promise<void> {
  const { store, objects, staging } = data
  const clock = await clockOf(call.config)
  const ports = { store, objects, staging, clock, verify: createVerifiers(), quota: quotaOf(call.config) }
  const { signal } = new AbortController()
  const bringBack = bringingFor(call, data, clock)
  let isRepairing = (call.flag('repair') || data.directory !== undefined) && !call.flag('dry-run')
  let isTrusted = true
  const { retentionDaysMax } = call.config
  const examination = { deep: call.flag('deep'), indexes: isRepairing, signal, counts, retentionDaysMax }
  for await (const finding of examine(ports, examination)) {
    // Nothing is repaired by the rows of a damaged database.
    if (finding.kind === 'database_damaged') isTrusted = isRepairing = false
    const brought = isTrusted ? await bringBack(finding) : fromDamaged(data, finding)
    if (brought.bytes !== undefined && broughtBack !== undefined) {
      broughtBack.objects += 1
      broughtBack.bytes += brought.bytes
    }
    const isRepairable = isRepairing && brought.done === undefined
    const { done, notRepaired } =
      isRepairable && finding.repair ? await tryRepair(ports, finding.repair) : { done: brought.done }
    if (done !== undefined) repaired.add({ finding, done })
    // A mark only records that bytes are wrong or out of reach: the finding stays.
    const isMarked = brought.done === undefined && MARKS.has(finding.repair?.repair)
    if (done === undefined || isMarked) left.add({ finding, fromBackup: brought.fromBackup, notRepaired })
  }
}

/** What could not be written is tried again by the next call; the check goes on. */
async function tryRepair(
  ports: Parameters<typeof repair>[0],
  given: Repair,
): Promise<{ readonly done?: string; readonly notRepaired?: string }> {
  try {
    return { done: await repair(ports, given) }
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return {
      notRepaired: `not repaired: ${reasonOf(error)}. If the disk is read-only or full, change that; then run this again.`,
    }
  }
}

interface FromBackup {
  readonly done?: string
  readonly bytes?: number
  readonly fromBackup?: string
}

function fromDamaged({ directory }: Opened, { kind }: Finding): FromBackup {
  const isOfBytes = directory !== undefined && OF_BYTES.has(kind)
  return isOfBytes ? { fromBackup: 'not brought back: the rows of a damaged database are not believed' } : {}
}

/** For a finding about the bytes of an object, if there is a backup. */
function bringingFor({ config, flag }: Call, data: Opened, clock: Clock): (finding: Finding) => Promise<FromBackup> {
  const { directory } = data
  if (directory === undefined) return async () => ({})
  const bringing = createBringing({ ...data, directory, clock, random: systemRandom, repeat }, config)
  const isDry = flag('dry-run')
  return async ({ kind, where: { location } }) => {
    if (!OF_BYTES.has(kind) || typeof location !== 'string' || !isOurs({ location })) return {}
    const brought = await (isDry ? bringing.look(location) : bringing.bringBack(location))
    switch (brought.outcome) {
      case 'brought_back':
        return isDry
          ? { fromBackup: 'the backup has it' }
          : { done: 'brought back from the backup, read back and hashed', bytes: brought.bytes }
      case 'is_intact':
        return isDry ? { fromBackup: 'its bytes are right by now' } : { done: 'its bytes are right: removed the mark' }
      case 'is_gone':
        return isDry ? { fromBackup: 'no row needs it any more' } : { done: 'nothing was left to do' }
      case 'not':
        return { fromBackup: `not brought back: ${brought.why}` }
    }
  }
}

interface Result {
  readonly counts: Counts
  readonly left: CappedListBuilder<Left>
  readonly repaired: CappedListBuilder<Repaired>
  /** Undefined if nothing is to be brought back. */
  readonly broughtBack: { objects: number; bytes: number } | undefined
  /** Why the check did not finish. */
  readonly end?: string
}

function outcomeOf(result: Result, { flag, option }: Call): Outcome {
  const { counts, left, repaired, broughtBack, end } = result
  const backup = option('repair-from') ?? 'BACKUP'
  const said = left.list.map((each) => ({
    ...each,
    todo: REMEDIES[each.finding.kind].replace('--repair-from BACKUP', () => `--repair-from ${backup}`),
  }))
  const total = left.list.length + left.more
  return {
    lines: [
      ...said.flatMap(linesOf),
      ...moreLine(left),
      ...repaired.list.map(({ finding, done }) => `repaired: ${formatFinding(finding)}: ${done}`),
      ...moreLine(repaired),
      [countsText(counts), ...broughtText(result)].join(' · '),
      ...(end === undefined ? [] : [`The check did not finish: ${end}`]),
      total === 0
        ? (repaired.list.length === 0 ? INTACT : REPAIRED)[flag('deep') ? 'deep' : 'shallow']
        : `${countText(total, 'fault')} found.`,
    ],
    json: {
      findings: said.map(jsonOf),
      ...(left.more > 0 && { findings_not_told: left.more }),
      counts,
      ...(broughtBack !== undefined && { brought_back: broughtBack }),
      repaired: repaired.list.map(({ finding: { kind, where, what }, done }) => ({ kind, where, what, done })),
      ...(repaired.more > 0 && { repaired_not_told: repaired.more }),
      ...(end !== undefined && { ended_early: end }),
    },
    isWrong: total > 0,
  }
}

const INTACT = {
  deep: 'All is intact.',
  shallow: 'All that was looked at is intact. The bytes of files were not read: --deep reads them.',
}
const REPAIRED = {
  deep: 'All is repaired.',
  shallow: 'All that was found is repaired. The bytes of files were not read: --deep reads them.',
}

function moreLine({ more }: CappedList<unknown>): readonly string[] {
  return more === 0 ? [] : [`and ${more} more`]
}

function linesOf({ finding, fromBackup, notRepaired, todo }: Said): readonly string[] {
  const more = [fromBackup, notRepaired, todo].filter((line) => line !== undefined)
  return [formatFinding(finding), ...more.map((line) => `    ${line}`)]
}

function broughtText({ broughtBack }: Result): readonly string[] {
  if (broughtBack === undefined) return []
  return [`${countText(broughtBack.objects, 'object')} brought back (${sizeText(broughtBack.bytes)})`]
}

function jsonOf({ finding: { kind, where, what, repair: possible }, fromBackup, notRepaired, todo }: Said) {
  const said = { kind, where, what, todo, repairable: possible !== undefined }
  return { ...said, from_backup: fromBackup, not_repaired: notRepaired }
}

function countsText({ bytes, ...rows }: Counts): string {
  const checked = Object.entries(rows).map(([name, count]) => countText(count, name.replace(/s$/, '')))
  return [...checked, ...(bytes > 0 ? [`${(bytes / 1_000_000).toFixed(1)} MB read`] : [])].join(' · ')
}
