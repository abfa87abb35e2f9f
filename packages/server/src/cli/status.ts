import { sizeText } from '@blindkeep/protocol/byteSizes'
import { formatInstant, type Instant } from '@blindkeep/protocol/ids'
import { freeBytesIn } from '../assembly/bytes.ts'
import { clockOf, openPresentStore } from '../assembly/data.ts'
import { ALARMS, type Alarm, alarmsIn } from '../domain/closing/alarms.ts'
import { type AccountLine, readServerStatus, type ServerStatus } from '../domain/closing/serverStatus.ts'
import { statusFacts } from '../domain/closing/statusText.ts'
import { errorText } from '../ground/errorText.ts'
import { minuteText } from '../ground/minuteText.ts'
import type { Store } from '../ports/store.ts'
import { type Call, type Command, columns, type Outcome, withOpen } from './command.ts'
import { quotaOf } from './quota.ts'

export const statusCommands: readonly Command[] = [
  {
    name: 'status',
    summary:
      'Shows the server at a glance: accounts, links, files, bytes, growth, room, last backup, and what to look at.',
    details: [
      'The server may run; nothing is changed. Run it with the settings of the server: quota and FREE_SPACE_FLOOR_BYTES come from the environment. A last sign-in is',
      'that of the newest open session. What came in a day or a week is what is still kept of it. Exit status: 1 if there is a critical alarm.',
    ],
    options: { accounts: { value: 'flag', meaning: 'Also lists each account, with its e-mail address.' } },
    run: (call) => withOpen(openPresentStore(call.config), (store) => show(store, call)),
  },
]

async function show(store: Store, { config, flag, tell }: Call): Promise<Outcome> {
  const freeBytes = await freeBytesIn(config, store).catch((error: unknown) => tell(errorText(error)))
  const around = { unready: [], freeBytes: freeBytes ?? undefined, floorBytes: config.freeSpaceFloorBytes }
  const lines: AccountLine[] = []
  const onAccount = flag('accounts') ? (line: AccountLine) => void lines.push(line) : undefined
  const ports = { store, clock: await clockOf(config), quota: quotaOf(config) }
  const status = await readServerStatus(ports, around, onAccount)
  const alarms = alarmsIn(status)
  return {
    lines: [
      ...columns(statusFacts(status)),
      '',
      ...(alarms.length === 0 ? ['Nothing to look at.'] : alarms.flatMap(alarmLines)),
      ...(onAccount === undefined ? [] : ['', ...accountTable(lines)]),
    ],
    json: { ...jsonOf(status, alarms), ...(onAccount !== undefined && { account_list: lines.map(accountJson) }) },
    isWrong: alarms.some(({ kind }) => ALARMS[kind].severity === 'critical'),
  }
}

function alarmLines({ kind, what }: Alarm): readonly string[] {
  return [`${ALARMS[kind].severity}: ${what}`, `    ${ALARMS[kind].todo}`]
}

function accountTable(lines: readonly AccountLine[]): readonly string[] {
  const rows = lines.map((line) => [
    line.email,
    line.isSuspended ? 'suspended' : 'active',
    sizeText(line.usedBytes),
    line.quota,
    String(line.liveLinks),
    String(line.pendingDrops),
    line.lastSignInAt === undefined ? '-' : minuteText(line.lastSignInAt),
  ])
  return columns([['E-MAIL', 'STATE', 'USED', 'QUOTA', 'LINKS', 'PENDING', 'LAST SIGN-IN'], ...rows])
}

const timeOf = (at: Instant | undefined) => at && formatInstant(at)

function jsonOf(status: ServerStatus, alarms: readonly Alarm[]) {
  const { at, accounts, albumFiles, arrived, channels, census, cutoff } = status
  const { freeBytes } = status
  return {
    at: formatInstant(at),
    accounts: { count: accounts.count, suspended: accounts.suspended, quota: accounts.byQuota },
    last_sign_in_at: timeOf(accounts.lastSignInAt) ?? null,
    live_links: accounts.liveLinks,
    files: { inboxes: accounts.pendingDrops, albums: albumFiles },
    used_bytes: accounts.usedBytes,
    arrived,
    uploads: census.uploads,
    objects: census.objects,
    holds: census.holds,
    channels: { count: channels.count, failing: channels.failing, given_up: channels.givenUp },
    // JSON has no infinity: null is no bound, and an alarm says when it is unknown.
    free_bytes: freeBytes !== undefined && Number.isFinite(freeBytes) ? freeBytes : null,
    free_space_floor_bytes: status.floorBytes,
    last_backup_at: timeOf(status.lastBackupAt) ?? null,
    clock_behind_seconds: status.behindSeconds,
    next_cutoff:
      cutoff === undefined ? null : { min_version: cutoff.minProtocolVersion, at: formatInstant(cutoff.cutoff) },
    alarms: alarms.map(({ kind, what }) => ({ kind, severity: ALARMS[kind].severity, what, todo: ALARMS[kind].todo })),
  }
}

function accountJson(line: AccountLine) {
  return {
    email: line.email,
    account_id: line.accountId,
    created_at: formatInstant(line.createdAt),
    suspended: line.isSuspended,
    used_bytes: line.usedBytes,
    quota: line.quota,
    live_links: line.liveLinks,
    pending_drops: line.pendingDrops,
    last_sign_in_at: timeOf(line.lastSignInAt) ?? null,
  }
}
