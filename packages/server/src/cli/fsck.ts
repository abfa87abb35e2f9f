import { countText } from '@blindkeep/protocol/counts'
import { clockOf, type Data, openPresentData } from '../assembly/data.ts'
import { createFinding, type Finding, formatFinding, REMEDIES } from '../domain/fsck/finding.ts'
import { examine } from '../domain/fsck/fsck.ts'
import { type Counts, newCounts } from '../domain/fsck/options.ts'
import { repair } from '../domain/fsck/repair.ts'
import { createVerifiers } from '../domain/fsck/verifiers.ts'
import { type CappedList, type CappedListBuilder, createCappedList } from '../domain/ground/cappedList.ts'
import { ForeignSchema, StoreDamaged, ValueUnreadable } from '../ports/store.ts'
import { type Call, type Command, type Outcome, withOpen } from './command.ts'
import { quotaOf } from './quota.ts'

const PROGRESS_MS = 2_000

export const fsckCommands: readonly Command[] = [
  {
    name: 'fsck',
    summary: 'Checks that the data directory is intact, or says what is wrong, where, and what to do.',
    details: [
      'Compares rows with rows and rows with files, and verifies every receipt with both signatures. The server may run; the master secret is not',
      'needed. Exit status: 0 all is intact · 1 something is wrong, or the check did not finish · 2 the call was wrong.',
    ],
    options: {
      deep: { value: 'flag', meaning: 'Also reads and hashes every byte.' },
      repair: {
        value: 'flag',
        meaning:
          'Repairs what has one right value: counters, claims, marks. Deletes nothing, and changes nothing in a damaged database.',
      },
    },
    run,
  },
]

interface Repaired {
  readonly finding: Finding
  readonly done: string
}

async function run(call: Call): Promise<Outcome> {
  const result: Result = { counts: newCounts(), left: createCappedList(), repaired: createCappedList() }
  const { counts, left } = result
  const count = () => left.list.length + left.more
  const progress = setInterval(() => call.tell(`${countsText(counts)} · ${countText(count(), 'fault')}`), PROGRESS_MS)
  try {
    await withOpen(openPresentData(call.config), (data) => check(call, data, result))
    return outcomeOf(result)
  } catch (error) {
    if (error instanceof ForeignSchema)
      for (const what of error.differences) left.add(createFinding('schema_changed', {}, `the database has ${what}`))
    else if (error instanceof StoreDamaged || error instanceof ValueUnreadable)
      left.add(createFinding('database_damaged', {}, `it cannot be read: ${reasonOf(error)}`))
    // Findings from before the error still count.
    else if (count() === 0) throw error
    return outcomeOf({ ...result, end: reasonOf(error) })
  } finally {
    clearInterval(progress)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

async function check(call: Call, { store, objects }: Data, { counts, left, repaired }: Result): Promise<void> {
  const ports = {
    store,
    objects,
    clock: await clockOf(call.config),
    verify: createVerifiers(),
    quota: quotaOf(call.config),
  }
  const { signal } = new AbortController()
  let isRepairing = call.flag('repair')
  const { retentionDaysMax } = call.config
  const examination = { deep: call.flag('deep'), indexes: isRepairing, signal, counts, retentionDaysMax }
  for await (const finding of examine(ports, examination)) {
    // Nothing is repaired by the rows of a damaged database.
    if (finding.kind === 'database_damaged') isRepairing = false
    const done = isRepairing && finding.repair ? await repair(ports, finding.repair) : undefined
    if (done !== undefined) repaired.add({ finding, done })
    // A mark only records that bytes are wrong: the finding stays.
    if (done === undefined || finding.repair?.repair === 'mark_damaged') left.add(finding)
  }
}

interface Result {
  readonly counts: Counts
  readonly left: CappedListBuilder<Finding>
  readonly repaired: CappedListBuilder<Repaired>
  /** Why the check did not finish. */
  readonly end?: string
}

function outcomeOf({ counts, left, repaired, end }: Result): Outcome {
  const total = left.list.length + left.more
  return {
    lines: [
      ...left.list.flatMap((finding) => [formatFinding(finding), `    ${REMEDIES[finding.kind]}`]),
      ...moreLine(left),
      ...repaired.list.map(({ finding, done }) => `repaired: ${formatFinding(finding)}: ${done}`),
      ...moreLine(repaired),
      countsText(counts),
      ...(end === undefined ? [] : [`The check did not finish: ${end}`]),
      total === 0 ? 'All is intact.' : `${countText(total, 'fault')} found.`,
    ],
    json: {
      findings: left.list.map(jsonOf),
      ...(left.more > 0 && { findings_not_told: left.more }),
      counts,
      repaired: repaired.list.map(({ finding: { kind, where, what }, done }) => ({ kind, where, what, done })),
      ...(repaired.more > 0 && { repaired_not_told: repaired.more }),
      ...(end !== undefined && { ended_early: end }),
    },
    isWrong: total > 0,
  }
}

function moreLine({ more }: CappedList<unknown>): readonly string[] {
  return more === 0 ? [] : [`and ${more} more`]
}

function jsonOf({ kind, where, what, repair: possible }: Finding) {
  return { kind, where, what, todo: REMEDIES[kind], repairable: possible !== undefined }
}

function countsText({ bytes, ...rows }: Counts): string {
  const checked = Object.entries(rows).map(([name, count]) => countText(count, name.replace(/s$/, '')))
  return [...checked, ...(bytes > 0 ? [`${(bytes / 1_000_000).toFixed(1)} MB read`] : [])].join(' · ')
}
