import { sizeText } from '@blindkeep/protocol/byteSizes'
import { planUpgrade, type UpgradePlan, upgradeData } from '../assembly/upgrade.ts'
import { RELEASE } from '../ground/release.ts'
import type { Call, Command, Outcome } from './command.ts'
import { requireConsent, YES } from './consent.ts'

const upgrade: Command = {
  name: 'upgrade',
  summary: 'Updates the database to this version. With --check, only says what that changes.',
  details: [
    'SQLite: the start of the server does the same. The server must not run; with --check it may. The database is copied beside itself first.',
    'PostgreSQL: run it once, before the first node of this version starts. Nothing is copied: make a backup with the version that you have now. It asks for that.',
    'Exit status with --check: 0 this version can use the database, after the changes that are listed, if any; 1 it cannot, and says why.',
    'Without it: 0 the database is up to date; 1 it is as it was.',
  ],
  options: {
    check: { value: 'flag', meaning: 'Says what an upgrade would change, and changes nothing.' },
    'without-copy': {
      value: 'flag',
      meaning: 'Does not copy the database of SQLite first, because you have a backup.',
    },
    yes: YES,
  },
  async run(call) {
    const plan = await planUpgrade(call.config)
    if (call.flag('check')) return { lines: linesOf(plan), json: jsonOf(plan), isWrong: plan.refusal !== undefined }
    return run(plan, call)
  },
}

/** Running a new version on the data of an earlier one. */
export const upgradeCommands: readonly Command[] = [
  upgrade,
  { ...upgrade, name: 'migrate', summary: 'The earlier name of `upgrade`.' },
]

async function run(plan: UpgradePlan, call: Call): Promise<Outcome> {
  const withoutCopy = call.flag('without-copy')
  const isChanging = plan.state.done > 0 && plan.pending.length > 0
  if (isChanging && (plan.kind === 'postgres' || withoutCopy))
    await requireConsent(call, { lines: [...changeLines(plan), '', UNCOPIED], word: 'upgrade' })
  const copy = await upgradeData(call.config, { withoutCopy, log: { info: (event) => call.tell(event) } })
  return {
    lines: [
      ...(copy === undefined ? [] : [`The database as it was: ${copy}`]),
      `The database is up to date, at migration ${plan.known}.`,
    ],
    json: { migration: plan.known, changes: changesOf(plan), copy },
  }
}

const UNCOPIED =
  'Nothing is copied now. Go on only if you have a backup that was made after the last node stopped, or that you can live with.'

function linesOf(plan: UpgradePlan): readonly string[] {
  const { state, known, pending, copies, refusal } = plan
  if (refusal !== undefined) return [refusal]
  if (state.done === 0) return [`There is no database yet: the first start makes one, at migration ${known}.`]
  if (pending.length === 0)
    return [
      `The database is at migration ${state.done}: this version (${RELEASE}) changes nothing in it.`,
      ...copyLines(copies),
    ]
  return [...changeLines(plan), ...backLines(plan), ...copyLines(copies)]
}

function changeLines({ kind, state, known, pending }: UpgradePlan): readonly string[] {
  const what = kind === 'sqlite' ? 'Its start' : '`blindkeep-server upgrade`'
  return [
    `The database is at migration ${state.done}, and this version (${RELEASE}) needs ${known}. ${what} changes:`,
    ...pending.map(({ number, summary }) => `  ${number}  ${summary}`),
  ]
}

function backLines({ copy, earlierServes }: UpgradePlan): readonly string[] {
  if (copy !== undefined)
    return [
      `Before that, it copies the database to ${copy.path}.`,
      `That takes up to ${sizeText(copy.neededBytes)}, and ${Number.isFinite(copy.freeBytes) ? `${sizeText(copy.freeBytes)} are free` : 'the disk does not say how much is free'}. The last two copies are kept.`,
      'The version that you have now refuses the changed database. The copy leads back to it until the new version has taken a request, a backup later: make one now.',
    ]
  return [
    'Blindkeep cannot copy a PostgreSQL database: make a backup first, with `blindkeep-server backup` of the version that you have now, or with the tools of PostgreSQL.',
    earlierServes
      ? 'Nodes of the version that you have now go on serving on the changed database, without jobs, until you replace them.'
      : 'Nodes of the version that you have now refuse the changed database: stop them first.',
  ]
}

function copyLines(copies: readonly string[]): readonly string[] {
  return copies.length === 0 ? [] : ['Copies from before earlier upgrades:', ...copies.map((path) => `  ${path}`)]
}

function jsonOf(plan: UpgradePlan) {
  const { kind, state, known, copy, copies, earlierServes, refusal } = plan
  return {
    version: RELEASE,
    database: kind,
    migration: state.done,
    upgraded_by: state.version,
    needs: known,
    changes: changesOf(plan),
    copy: copy && { path: copy.path, needed_bytes: copy.neededBytes, free_bytes: copy.freeBytes },
    copies,
    earlier_version_serves: earlierServes,
    refusal,
  }
}

function changesOf({ pending }: UpgradePlan) {
  return pending.map(({ number, summary }) => ({ migration: number, summary }))
}
