import { sizeText } from '@blindkeep/protocol/byteSizes'
import { RELEASE } from '../release.ts'
import { planUpgrade, type UpgradePlan, upgradeData } from '../upgrade.ts'
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
    await requireConsent(call, { lines: [...linesOf(plan), ...UNCOPIED], word: 'upgrade' })
  const log = {
    info: (event: string, { copy }: { readonly copy?: unknown } = {}) => call.tell(copy ? `${event}: ${copy}` : event),
  }
  await upgradeData(call.config, { withoutCopy, log })
  return { lines: ['The database is up to date.'], json: { migrated: true } }
}

const UNCOPIED = [
  '',
  'Nothing is copied now. Go on only if you have a backup that was made after the last node stopped, or that you can live with.',
]

function linesOf({
  kind,
  state,
  known,
  pending,
  copy,
  copies,
  earlierServes,
  refusal,
}: UpgradePlan): readonly string[] {
  if (refusal !== undefined) return [refusal]
  if (state.done === 0) return [`There is no database yet: the first start makes one, at migration ${known}.`]
  if (pending.length === 0)
    return [
      `The database is at migration ${state.done}: this version (${RELEASE}) changes nothing in it.`,
      ...copyLines(copies),
    ]
  return [
    `The database is at migration ${state.done}, and this version (${RELEASE}) needs ${known}. ${kind === 'sqlite' ? 'Its start' : '`blindkeep-server upgrade`'} changes:`,
    ...pending.map(({ number, summary }) => `  ${number}  ${summary}`),
    ...(copy === undefined
      ? [
          'Blindkeep cannot copy a PostgreSQL database: make a backup first, with `blindkeep-server backup` of the version that you have now, or with the tools of PostgreSQL.',
        ]
      : [
          `Before that, it copies the database to ${copy.path}.`,
          `That takes up to ${sizeText(copy.neededBytes)}, and ${sizeText(copy.freeBytes)} are free. The last two copies are kept.`,
        ]),
    earlierServes
      ? 'Nodes of the version that you have now go on serving on the changed database, without jobs, until you replace them.'
      : 'The version that you have now refuses the changed database. The copy leads back to it until the new version has taken a request, a backup later: make one now.',
    ...copyLines(copies),
  ]
}

function copyLines(copies: readonly string[]): readonly string[] {
  return copies.length === 0 ? [] : ['Copies from before earlier upgrades:', ...copies.map((path) => `  ${path}`)]
}

function jsonOf({ kind, state, known, pending, copy, copies, earlierServes, refusal }: UpgradePlan) {
  return {
    version: RELEASE,
    database: kind,
    migration: state.done,
    upgraded_by: state.version,
    needs: known,
    changes: pending.map(({ number, summary }) => ({ migration: number, summary })),
    copy: copy && { path: copy.path, needed_bytes: copy.neededBytes, free_bytes: copy.freeBytes },
    copies,
    earlier_version_serves: earlierServes,
    refusal,
  }
}
