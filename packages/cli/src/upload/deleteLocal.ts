/** Deletes a local file whose content the server is proven to hold: see `verifyBeforeDestroying` for what that means. */
import type { BigIntStats } from 'node:fs'
import { lstat, rm, stat } from 'node:fs/promises'
import type { Source } from '@blindkeep/client/source'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { EXIT, type Exit } from '../exits.ts'
import { failureOf } from '../failures.ts'
import { pinsOf } from '../home/pins.ts'
import { keepReceipts } from '../receipts/keep.ts'
import type { ChosenFile } from '../send/files.ts'
import type { FileProgress } from '../send/progress.ts'

export interface Deletion {
  readonly isDeleted: boolean
  /** Why it was kept; each ends with what that means. */
  readonly reasons: readonly { readonly reason: string; readonly message: string }[]
  /** Of this file alone. */
  readonly exit: Exit
  readonly receiptFile?: string
}

export interface DeleteLocal extends OpenedLocal {
  readonly session: SignedIn
  readonly file: ChosenFile
  readonly assetId: AssetId
  /** A folder; without it the receipts go to the profile. */
  readonly receipts: string | undefined
  readonly signal: AbortSignal
  readonly onProgress: (progress: FileProgress) => void
}

interface OpenedLocal {
  /** Reads the file that was opened, whatever the path names by now. */
  readonly source: Source
  /** Some disks delete no file that is open. */
  readonly close: () => Promise<void>
  /** The file before it was opened. */
  readonly before: BigIntStats
}

export async function deleteLocal(call: DeleteLocal): Promise<Deletion> {
  const { session, file, assetId, source, close, before, signal, onProgress } = call
  if ((await lstat(file.namedPlace)).isSymbolicLink())
    return kept('symbolic_link', 'It was named by a symbolic link. Name the file itself to delete it.')
  // What was not read was not sent.
  if (before.size !== BigInt(source.size))
    return kept(
      'size_unclear',
      'Its disk states another size than it gives bytes. Delete it yourself if that is right.',
    )
  const { owner, profile, server } = session
  const answer = await owner.verifyBeforeDestroying({
    assetId,
    source,
    pinned: await pinsOf(profile.home, new URL(server).origin),
    onProgress: (progress) => onProgress({ ...progress, phase: 'comparing' }),
    signal,
  })
  if (!answer.safe) {
    const isLie = answer.doubts.some(({ cause }) => failureOf(cause).exit === EXIT.untrusted)
    return { isDeleted: false, reasons: answer.doubts, exit: isLie ? EXIT.untrusted : EXIT.failed }
  }
  // Before the file goes: they are what remains to prove that the server had it.
  const { receipts: folder } = call
  const receiptFile = await keepReceipts(profile, { assetId, checked: answer.receipts, folder, name: file.name })
  await close()
  const now = await stat(file.place, { bigint: true })
  if (!isSameFile(before, now)) return { ...kept('file_changed', 'It changed while it was compared.'), receiptFile }
  await rm(file.place)
  return { isDeleted: true, reasons: [], exit: EXIT.done, receiptFile }
}

function kept(reason: string, message: string): Deletion {
  return { isDeleted: false, reasons: [{ reason, message }], exit: EXIT.failed }
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  const members = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const
  return members.every((member) => one[member] === other[member])
}
