import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { formatInstant } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { openBackupData, openRestoreData } from '../assembly/backupData.ts'
import type { Config } from '../config/config.ts'
import { type BackupProgress, type BackupReport, backUp, type DamagedObject } from '../domain/backup/backup.ts'
import type { BackupManifest } from '../domain/backup/backupManifest.ts'
import { type RestoreReport, restore } from '../domain/backup/restore.ts'
import type { CappedList } from '../domain/ground/cappedList.ts'
import { type Call, type Command, type Outcome, withOpen } from './command.ts'
import { requireConsent, YES } from './consent.ts'
import { quotaOf } from './quota.ts'

/** Backing up a server, and restoring it. */
export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Copies the database and all files to a directory. The server may run.',
    details: [
      '<directory> is missing, empty, or an earlier backup of the same server; then only new files are copied. The earlier backup stays complete until',
      'the new one is complete. Use another disk than the server’s. A backup does not contain the master secret, which vouches for it, and no',
      'server starts from the backup without it: keep a copy of that file elsewhere.',
      'The exit status is 1 if a file of the server is damaged, missing or cannot be read. The backup is then made without that file.',
    ],
    takes: ['directory'],
    options: {
      check: {
        value: 'flag',
        meaning: 'Reads every file of the earlier backup again, and copies damaged ones again.',
      },
    },
    run: runBackup,
  },
  {
    name: 'restore',
    summary: 'Restores a backup into a data directory without a database.',
    details: [
      'First put the master secret of the server at MASTER_SECRET_FILE, and make sure that the old server never runs again on its old data.',
      'Asks first if the backup is of another address than PUBLIC_URL: it may be from before a move (docs/moving.md).',
      'Everything after the backup is lost: clients see 404 for it. All users must sign in again, and a new key signs receipts.',
      'After an interruption, call it again: it starts from the beginning, and no server starts there before. The exit status is 1 if the backup lacks a file.',
    ],
    takes: ['directory'],
    options: {
      'trust-backup': {
        value: 'flag',
        meaning:
          'Restores also a backup for which the master secret does not vouch: you then trust everybody who could write to its directory.',
      },
      yes: YES,
    },
    run: runRestore,
  },
]

function runBackup({ config, given: [path = ''], flag, tell }: Call): Promise<Outcome> {
  const options = { isChecked: flag('check') }
  return withOpen(openBackupData(config, path), async (data) => {
    const report = await backUp(
      { ...data, clock: systemClock, random: systemRandom, repeat, onProgress: progressTo(tell) },
      options,
    )
    return { lines: backupLines(report, path), json: backupJson(report), isWrong: countOf(report.damaged) > 0 }
  })
}

function runRestore(call: Call): Promise<Outcome> {
  const { config, given, flag, tell } = call
  const [path = ''] = given
  const ports = { clock: systemClock, random: systemRandom, quota: quotaOf(config), onProgress: progressTo(tell) }
  const options = { isTrusted: flag('trust-backup') }
  const onAccepted = (manifest: BackupManifest) => askOfOtherName(call, manifest)
  return withOpen(openRestoreData(config, path, { ...options, onAccepted }), async (data) => {
    const report = await restore({ ...data, ...ports }, options)
    return { lines: restoreLines(report, config), json: restoreJson(report), isWrong: countOf(report.damaged) > 0 }
  })
}

/** A restore may take hours, so that its person hears of it before. */
async function askOfOtherName(call: Call, { serverId }: BackupManifest): Promise<void> {
  const own = call.config.publicUrl?.serverId
  if (serverId === undefined || own === undefined || serverId === own) return
  const lines = [
    `The backup is of ${serverId}, and PUBLIC_URL is ${own}: no server starts there on it before \`move\`.`,
    'If the server has moved since, the backup is from before the move: take a newer one if there is one.',
    'After a restore of this one, clients that have followed the move raise an alarm.',
  ]
  await requireConsent(call, { lines, word: 'restore' })
}

export function repeat(seconds: number, work: () => void): () => void {
  const timer = setInterval(work, seconds * 1000)
  return () => clearInterval(timer)
}

const PROGRESS_MS = 2_000

/** Reports each step at its start, and its progress every two seconds. */
function progressTo(tell: Call['tell']): (progress: BackupProgress) => void {
  let last: { readonly step: string; readonly at: number } | undefined
  return ({ step, files, bytes }) => {
    const now = systemClock.now()
    if (last?.step === step && now - last.at < PROGRESS_MS) return
    last = { step, at: now }
    tell(files === 0 ? `${step} …` : `${step}: ${countText(files, 'file')}${bytes === 0 ? '' : `, ${sizeText(bytes)}`}`)
  }
}

function backupLines(
  { manifest, copied, present, removedFiles, damaged, isComplete }: BackupReport,
  path: string,
): readonly string[] {
  return [
    `${path} has the server as of ${formatInstant(manifest.createdAt)}: ${contentsOf(manifest)}.`,
    `Copied ${countText(copied.files, 'file')} (${sizeText(copied.bytes)}); ${countText(present.files, 'was', 'were')} there already; removed ${countText(removedFiles, 'file')} of earlier backups.`,
    ...(countOf(damaged) === 0
      ? []
      : [
          `NOT in the backup, because they are damaged, missing or cannot be read on the server (${countOf(damaged)}):`,
        ]),
    ...listLines(damaged, damageText),
    ...(countOf(damaged) === 0 ? [] : [isComplete ? COUNTS : COUNTS_NOT]),
  ]
}

const COUNTS =
  'All of them were marked as damaged before: this backup counts as the last complete one in `status` and the metrics.'
const COUNTS_NOT =
  'This backup does not count as complete in `status` and the metrics. The server reads these files again within a minute and marks the damaged ones; `status` shows them then, and later backups count without them. `fsck --deep --repair-from` brings files back from a backup that has them.'

function damageText({ what, reason, hash, size, ...owner }: DamagedObject): string {
  const why = reason === undefined ? '' : `: ${reason}`
  return `${what}: ${ownerOf(owner)}, hash ${hash}, ${countText(size, 'byte')}${why}`
}

function contentsOf({ counts }: BackupManifest): string {
  const { accounts, drops, assets, receipts, objects, bytes } = counts
  const parts = [
    countText(accounts, 'account'),
    countText(drops, 'pending drop'),
    countText(assets, 'asset'),
    countText(receipts, 'receipt'),
    `${countText(objects, 'file')} (${sizeText(bytes)})`,
  ]
  return parts.join(', ')
}

function ownerOf({ assetId, dropId }: Pick<DamagedObject, 'assetId' | 'dropId'>): string {
  return assetId === undefined ? `drop ${dropId}` : `asset ${assetId}`
}

/** A line for each item, and one for the number of items beyond the cap. */
function listLines<Item>({ list, more }: CappedList<Item>, textOf: (item: Item) => string): readonly string[] {
  return [...list.map((item) => `  ${textOf(item)}`), ...(more === 0 ? [] : [`  and ${more} more`])]
}

const countOf = ({ list, more }: CappedList<unknown>) => list.length + more

function backupJson({ manifest, copied, present, removedFiles, damaged, isComplete }: BackupReport) {
  return {
    created_at: formatInstant(manifest.createdAt),
    receipt_seq: manifest.head?.receiptSeq,
    counts: manifest.counts,
    copied,
    present,
    removed_files: removedFiles,
    complete: isComplete,
    damaged: damaged.list.map(({ assetId, dropId, ...object }) => ({ ...object, asset_id: assetId, drop_id: dropId })),
    ...(damaged.more > 0 && { damaged_not_told: damaged.more }),
  }
}

function restoreLines(
  { manifest, copied, present, damaged, rotation, receiptSeqFloor }: RestoreReport,
  { publicUrl }: Config,
): readonly string[] {
  const { serverId, createdAt } = manifest
  return [
    `The server is restored as of ${formatInstant(createdAt)}: ${contentsOf(manifest)}.`,
    `Copied ${countText(copied, 'file')}${present === 0 ? '' : `; ${countText(present, 'was there already and is', 'were there already and are')} intact`}.`,
    `Everything that was added or changed after that time is lost; clients see 404 for later drops and uploads. What was deleted after that time is back.`,
    `All users must sign in again. New receipts have numbers above ${receiptSeqFloor} and the new key ${rotation.active}; the receipts of the backup verify as before.`,
    ...(serverId === undefined
      ? []
      : [
          `Its address is ${serverId} (PUBLIC_URL): its receipts name it, and its passkeys work at no other host. \`blindkeep-server move\` gives it another one.`,
        ]),
    ...(serverId === undefined || publicUrl === undefined || publicUrl.serverId === serverId
      ? []
      : [
          `PUBLIC_URL is ${publicUrl.serverId}. If the server has moved there already, this backup is from before that: clients that have followed will say that the server was set back. Restore one from after the move, if there is one.`,
        ]),
    `Holds, suspensions, announced cutoffs and revocations of links and devices after that time are undone: repeat them before you start the server.`,
    ...(countOf(damaged) === 0
      ? []
      : [
          `In the backup ${countText(countOf(damaged), 'file is', 'files are')} missing or damaged. Storage verification reports these locations:`,
        ]),
    ...listLines(damaged, (location) => location),
    'Next: `blindkeep-server fsck --deep`, then start the server.',
  ]
}

function restoreJson({ manifest, copied, present, damaged, rotation, receiptSeqFloor }: RestoreReport) {
  return {
    created_at: formatInstant(manifest.createdAt),
    counts: manifest.counts,
    copied_files: copied,
    present_files: present,
    damaged: damaged.list,
    ...(damaged.more > 0 && { damaged_not_told: damaged.more }),
    retired_key_id: rotation.retired,
    active_key_id: rotation.active,
    receipt_seq_floor: receiptSeqFloor,
  }
}
