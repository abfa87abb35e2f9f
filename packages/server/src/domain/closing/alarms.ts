/** What an operator has to look at, by one rule for the command, the page and the messages. */
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { minuteText } from '../../ground/minuteText.ts'
import type { Standing } from './serverStatus.ts'

/**
 * critical: bytes are lost or refused, now · warning: it becomes so, or something does not work · note: it is as an
 * operator or an owner wanted it, and should not be forgotten.
 */
export type Severity = 'critical' | 'warning' | 'note'

interface AlarmKindMeaning {
  /** What is over when it is. */
  readonly name: string
  readonly severity: Severity
  readonly todo: string
}

/** Their order is that in which they are listed. Bounds and remedies are those of the alerts in deploy/prometheus. */
export const ALARMS = {
  not_ready: {
    name: 'not ready',
    severity: 'critical',
    todo: 'docs/when-something-is-wrong.md says what each word means, and what to do.',
  },
  bytes_away: {
    name: 'the store of bytes is away',
    severity: 'critical',
    todo: 'Look whether the disk is mounted, or the bucket answers. Nothing is lost.',
  },
  disk_below_floor: {
    name: 'the disk is below its floor',
    severity: 'critical',
    todo: 'Free or add disk space. Nothing that was acknowledged is lost.',
  },
  damaged: {
    name: 'damaged objects',
    severity: 'critical',
    todo: 'The log names them (“an object is damaged”), and `fsck`. Check the disk; `fsck --deep --repair-from` brings the bytes back from a backup.',
  },
  unreadable: {
    name: 'unreadable objects',
    severity: 'critical',
    todo: 'The log names them and the reason (“an object could not be read”). A file of another user: `chown` it, then run `fsck --repair`. A disk that fails: `fsck --repair-from` brings the bytes back from a backup.',
  },
  clock_behind: {
    name: 'the clock is behind',
    severity: 'critical',
    todo: 'Set the clock right. Until then what expires does so late.',
  },
  suspected: {
    name: 'suspected objects',
    severity: 'warning',
    todo: 'The server reads them again within seconds. If it lasts, look why it does not.',
  },
  backup_overdue: {
    name: 'a backup is overdue',
    severity: 'warning',
    todo: 'Run `backup`, and look why the scheduled one failed, or schedule one.',
  },
  quota_reached: {
    name: 'accounts at their hard limit',
    severity: 'warning',
    todo: 'Their guests cannot send. `account list` shows them, `account quota` gives more.',
  },
  channels_failing: {
    name: 'channels fail',
    severity: 'warning',
    todo: 'Their owners see it under Account. If it is mail, check SMTP_URL.',
  },
  quota_near: { name: 'accounts at their soft limit', severity: 'note', todo: '`account list` shows them.' },
  held: { name: 'contents on hold', severity: 'note', todo: '`hold list` shows them.' },
  suspended: {
    name: 'suspended accounts',
    severity: 'note',
    todo: '`account list` shows them, `account resume` ends it.',
  },
  cutoff: {
    name: 'an announced cutoff',
    severity: 'note',
    todo: '`deprecation list` shows it. Owners and guests update their programs until then.',
  },
} as const satisfies Readonly<Record<string, AlarmKindMeaning>>

export type AlarmKind = keyof typeof ALARMS

export interface Alarm {
  readonly kind: AlarmKind
  /** A sentence with its figures. */
  readonly what: string
}

/** A clock that is set right by a time server goes back by less. The alert in deploy/prometheus has the same bound. */
export const MAX_BEHIND_SECONDS = 60
const MAX_BACKUP_AGE_MS = 2 * 86_400_000

/** In the order of `ALARMS`. */
export function alarmsIn(status: Standing): readonly Alarm[] {
  const said = sentences(status)
  return Object.keys(ALARMS).flatMap((name) => {
    const kind = name as AlarmKind
    const what = said[kind]
    return what === undefined ? [] : [{ kind, what }]
  })
}

function sentences(status: Standing): Readonly<Record<AlarmKind, string | undefined>> {
  const { objects, holds } = status.census
  const { byQuota, suspended } = status.accounts
  const { failing, givenUp } = status.channels
  const reached = byQuota.hard_exceeded + byQuota.grace_expired
  const some = (count: number, sentence: () => string) => (count === 0 ? undefined : sentence())
  return {
    not_ready: status.unready.length === 0 ? undefined : `Not ready: ${status.unready.join(', ')}.`,
    ...ofRoom(status),
    damaged: some(objects.damaged, () => `${countText(objects.damaged, 'object')} with wrong or missing bytes.`),
    unreadable: some(objects.unreadable, () => `${countText(objects.unreadable, 'object')} that cannot be read.`),
    clock_behind:
      status.behindSeconds > MAX_BEHIND_SECONDS
        ? `The clock is ${status.behindSeconds} s behind the last receipt.`
        : undefined,
    suspected: some(
      objects.suspected,
      () => `${countText(objects.suspected, 'object')} whose bytes a reader met wrong, missing or unreadable.`,
    ),
    backup_overdue: ofBackup(status),
    quota_reached: some(reached, () => `${countText(reached, 'account is', 'accounts are')} at the hard limit.`),
    channels_failing: some(
      failing + givenUp,
      () => `${countText(failing, 'channel fails', 'channels fail')}, ${givenUp} given up.`,
    ),
    quota_near: some(
      byQuota.soft_warning,
      () => `${countText(byQuota.soft_warning, 'account is', 'accounts are')} at the soft limit.`,
    ),
    held: some(holds, () => `${countText(holds, 'content is', 'contents are')} on hold.`),
    suspended: some(suspended, () => `${countText(suspended, 'account is', 'accounts are')} suspended.`),
    cutoff:
      status.cutoff && `Versions below ${status.cutoff.minProtocolVersion} end at ${minuteText(status.cutoff.cutoff)}.`,
  }
}

function ofRoom({
  freeBytes,
  floorBytes,
}: Standing): Pick<ReturnType<typeof sentences>, 'bytes_away' | 'disk_below_floor'> {
  return {
    bytes_away: freeBytes === undefined ? 'The store of bytes does not answer.' : undefined,
    disk_below_floor:
      freeBytes !== undefined && freeBytes <= floorBytes
        ? `${sizeText(freeBytes)} are free, below FREE_SPACE_FLOOR_BYTES (${sizeText(floorBytes)}): uploads are refused.`
        : undefined,
  }
}

function ofBackup({ lastBackupAt, keyActiveFrom, at, accounts }: Standing): string | undefined {
  const lacksKey = lastBackupAt !== undefined && keyActiveFrom !== undefined && lastBackupAt < keyActiveFrom
  if (lacksKey && accounts.count > 0)
    return `The last complete backup began at ${minuteText(lastBackupAt)}, before the key that signs receipts now: its restore would alarm all clients.`
  // Without a backup, the time is that of the first account: before that there is nothing to lose.
  const since = lastBackupAt ?? accounts.firstAt
  if (since === undefined || at - since <= MAX_BACKUP_AGE_MS) return undefined
  return lastBackupAt === undefined
    ? `No backup was completed yet, and there are accounts since ${minuteText(since)}.`
    : `The last complete backup began at ${minuteText(lastBackupAt)}.`
}
