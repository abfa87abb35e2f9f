import { formatInstant } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { openBackupData, openRestoreData } from '../data.ts'
import { type BackupProgress, type BackupReport, backUp, type DamagedObject } from '../domain/backup/backup.ts'
import type { BackupManifest } from '../domain/backup/backupManifest.ts'
import { type RestoreReport, restore } from '../domain/backup/restore.ts'
import type { CappedList } from '../domain/cappedList.ts'
import type { Call, Command, Outcome } from './command.ts'
import { quotaOf } from './quota.ts'
import { sizeText } from './sizes.ts'

/** Keeping a copy of everything elsewhere, and starting from it. */
export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Objects the database and every file to a directory, beside a server that runs or without one.',
    details: [
      '<directory> is empty, missing, or an earlier backup of the same server, of which only what is new is copied. Until all is there the earlier',
      'one stays whole, whatever happens. It has to lie on another disk to be worth anything. Not in it: the master secret, without which nothing of it',
      'can be started. Keep a copy of that elsewhere.',
      'The exit status is 1 when a file of the server is damaged or missing: the backup is made without it.',
    ],
    takes: ['directory'],
    options: {
      check: {
        value: 'flag',
        meaning: 'Reads every file of the earlier backup again, and objects anew what is damaged.',
      },
    },
    run: runBackup,
  },
  {
    name: 'restore',
    summary: 'Puts a backup into a data directory that has no database yet.',
    details: [
      'First put the master secret of the server back at MASTER_SECRET_FILE, and see that the server that was backed up never runs again on its old data.',
      'What came in after the backup is gone: clients see 404 for it. Everybody signs in anew, and receipts go on under a new key.',
      'One that was broken off begins anew when it is called again, and no server starts there until then. The exit status is 1 when the backup lacks a file.',
    ],
    takes: ['directory'],
    run: runRestore,
  },
]

async function runBackup({ config, given: [path = ''], flag, tell }: Call): Promise<Outcome> {
  const data = await openBackupData(config, path)
  try {
    const onProgress = teller(tell)
    const report = await backUp({ ...data, clock: systemClock, repeat, onProgress }, { isChecked: flag('check') })
    return { lines: backupLines(report, path), json: backupJson(report), isWrong: countOf(report.damaged) > 0 }
  } finally {
    await data.close()
  }
}

async function runRestore({ config, given: [path = ''], tell }: Call): Promise<Outcome> {
  const data = await openRestoreData(config, path)
  try {
    const report = await restore({ ...data, clock: systemClock, quota: quotaOf(config), onProgress: teller(tell) })
    return { lines: restoreLines(report), json: restoreJson(report), isWrong: countOf(report.damaged) > 0 }
  } finally {
    await data.close()
  }
}

function repeat(seconds: number, work: () => void): () => void {
  const timer = setInterval(work, seconds * 1000)
  return () => clearInterval(timer)
}

const TOLD_EVERY_MS = 2_000

/** Each step once, and how far it is now and then. */
function teller(tell: Call['tell']): (progress: BackupProgress) => void {
  let last: { readonly step: string; readonly at: number } | undefined
  return ({ step, files, bytes }) => {
    const now = systemClock.now()
    if (last?.step === step && now - last.at < TOLD_EVERY_MS) return
    last = { step, at: now }
    tell(files === 0 ? `${step} …` : `${step}: ${files} files${bytes === 0 ? '' : `, ${sizeText(bytes)}`}`)
  }
}

function backupLines(
  { manifest, copied, present, removedFiles, damaged }: BackupReport,
  path: string,
): readonly string[] {
  return [
    `${path} holds the server as it was at ${formatInstant(manifest.createdAt)}: ${contentsOf(manifest)}.`,
    `Copied ${copied.files} files (${sizeText(copied.bytes)}); ${present.files} were there already; ${removedFiles} of earlier backups are removed.`,
    ...(countOf(damaged) === 0 ? [] : [`NOT in it, as the server does not have them whole (${countOf(damaged)}):`]),
    ...toldLines(damaged, (object) => `${object.what}: ${ownerOf(object)}, hash ${object.hash}, ${object.size} bytes`),
  ]
}

function contentsOf({ counts }: BackupManifest): string {
  const { accounts, drops, assets, receipts, objects, bytes } = counts
  return `${accounts} accounts, ${drops} pending drops, ${assets} assets, ${receipts} receipts, ${objects} files (${sizeText(bytes)})`
}

function ownerOf({ assetId, dropId }: DamagedObject): string {
  return assetId === undefined ? `drop ${dropId}` : `asset ${assetId}`
}

/** What is wrong, one by one, and how many more there are. */
function toldLines<Item>({ list, more }: CappedList<Item>, textOf: (item: Item) => string): readonly string[] {
  return [...list.map((item) => `  ${textOf(item)}`), ...(more === 0 ? [] : [`  and ${more} more`])]
}

const countOf = ({ list, more }: CappedList<unknown>) => list.length + more

function backupJson({ manifest, copied, present, removedFiles, damaged }: BackupReport) {
  return {
    created_at: formatInstant(manifest.createdAt),
    receipt_seq: manifest.head?.receiptSeq,
    counts: manifest.counts,
    copied,
    present,
    removed_files: removedFiles,
    damaged: damaged.list.map(({ assetId, dropId, ...object }) => ({ ...object, asset_id: assetId, drop_id: dropId })),
    ...(damaged.more > 0 && { damaged_not_told: damaged.more }),
  }
}

function restoreLines({
  manifest,
  copied,
  present,
  damaged,
  rotation,
  receiptSeqFloor,
}: RestoreReport): readonly string[] {
  const { serverId, createdAt } = manifest
  return [
    `The server is back as it was at ${formatInstant(createdAt)}: ${contentsOf(manifest)}.`,
    `Copied ${copied} files${present === 0 ? '' : `; ${present} were there already and are right`}.`,
    `Gone is all that came in or was changed after that instant. Clients with drops and uploads of later see 404 for them; what was deleted later is back.`,
    `Everybody signs in anew. Receipts go on above ${receiptSeqFloor} under the new key ${rotation.active}; all earlier ones of the backup verify as before.`,
    ...(serverId === undefined ? [] : [`It has to be reached as ${serverId}, as its receipts say so (PUBLIC_URL).`]),
    `Undone, too, is every hold, suspension, announced cutoff, and every link revoked or device ended, of after that instant: do those again before it starts.`,
    ...(countOf(damaged) === 0
      ? []
      : [`The backup lacks ${countOf(damaged)} files, or has them damaged. Storage verification says so of:`]),
    ...toldLines(damaged, (location) => location),
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
