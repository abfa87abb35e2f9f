import { systemClock } from '../adapters/system/clock.ts'
import type { Data } from '../data.ts'
import { openPresentData } from '../data.ts'
import { type Finding, TODO } from '../domain/fsck/finding.ts'
import { type Counts, newCounts } from '../domain/fsck/options.ts'
import { repair } from '../domain/fsck/repair.ts'
import { createVerifiers } from '../domain/fsck/verifiers.ts'
import { examine } from '../domain/fsck.ts'
import { createQuota, type Quota } from '../domain/quota.ts'
import type { Call, Command, Outcome } from './command.ts'

const PROGRESS_MS = 2_000
/** Told one by one; what comes after is counted. A disk that is lost would otherwise fill the memory with words. */
const TOLD_MOST = 10_000

export const fsckCommands: readonly Command[] = [
  {
    name: 'fsck',
    summary: 'Proves that the data directory is whole, or says what is not, where, and what to do.',
    details: [
      'Rows against rows, rows against files, and every receipt from the first to the last, with both of its signatures. It may run beside the',
      'server, and without the master secret. Exit status: 0 all is whole · 1 something is wrong, or it could not look · 2 the call was wrong.',
    ],
    options: {
      deep: { value: 'flag', meaning: 'Reads every byte again and hashes it.' },
      repair: {
        value: 'flag',
        meaning: 'Puts right what can be without a doubt: counters, claims, marks. Removes nothing.',
      },
    },
    async run(call) {
      const data = await openPresentData(call.config)
      try {
        return await run(call, data)
      } finally {
        await data.close()
      }
    },
  },
]

interface Repaired {
  readonly finding: Finding
  readonly done: string
}

async function run(call: Call, { store, blobs }: Data): Promise<Outcome> {
  const counts = newCounts()
  const left: Finding[] = []
  const repaired: Repaired[] = []
  let more = 0
  const progress = setInterval(
    () => call.tell(`${countsText(counts)} · ${left.length + more} found wrong`),
    PROGRESS_MS,
  )
  try {
    const ports = { store, blobs, clock: systemClock, verify: createVerifiers(), quota: quotaOf(call.config) }
    const { signal } = new AbortController()
    for await (const finding of examine(ports, { deep: call.flag('deep'), signal, counts })) {
      const done = call.flag('repair') && finding.repair ? await repair(ports, finding.repair) : undefined
      if (done !== undefined) repaired.push({ finding, done })
      // A mark says that bytes are wrong; it does not make them right.
      if (done !== undefined && finding.repair?.repair !== 'mark_damaged') continue
      if (left.length < TOLD_MOST) left.push(finding)
      else more += 1
    }
  } finally {
    clearInterval(progress)
  }
  return outcomeOf({ counts, left, repaired, more })
}

function quotaOf({ quotaSoftBytes, quotaHardBytes, quotaGraceDays }: Call['config']): Quota {
  return createQuota({ softBytes: quotaSoftBytes, hardBytes: quotaHardBytes, graceDays: quotaGraceDays })
}

interface Result {
  readonly counts: Counts
  readonly left: readonly Finding[]
  readonly repaired: readonly Repaired[]
  /** Findings that are left and not told. */
  readonly more: number
}

function outcomeOf({ counts, left, repaired, more }: Result): Outcome {
  const total = left.length + more
  return {
    lines: [
      ...left.flatMap((finding) => [lineOf(finding), `    ${TODO[finding.kind]}`]),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...repaired.map(({ finding, done }) => `repaired: ${lineOf(finding)}: ${done}`),
      countsText(counts),
      total === 0 ? 'All is whole.' : `${total} found wrong.`,
    ],
    json: {
      findings: left.map(jsonOf),
      ...(more > 0 && { findings_not_told: more }),
      counts,
      repaired: repaired.map(({ finding: { kind, where, what }, done }) => ({ kind, where, what, done })),
    },
    isWrong: total > 0,
  }
}

function jsonOf({ kind, where, what, repair: possible }: Finding) {
  return { kind, where, what, todo: TODO[kind], repairable: possible !== undefined }
}

function lineOf({ kind, where, what }: Finding): string {
  const place = Object.entries(where).map(([name, value]) => `${name} ${value}`)
  return `${kind}: ${[...place, what].join(', ')}`
}

function countsText({ bytes, ...rows }: Counts): string {
  const looked = Object.entries(rows).map(([name, count]) => `${count} ${name}`)
  return [...looked, ...(bytes > 0 ? [`${(bytes / 1_000_000).toFixed(1)} MB read`] : [])].join(' · ')
}
