/** Deletes a local file that the server is proven to hold: see `verifyBeforeDestroying`. */
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { lstat, rm, stat } from 'node:fs/promises'
import { openFile } from '@blindkeep/client/node'
import { type Source, SourceChanged } from '@blindkeep/client/source'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { pinsOf } from '../home/pins.ts'
import { failureOf } from '../outcomes/failures.ts'
import { keepReceipts } from '../receipts/keep.ts'
import type { ChosenFile, Place } from '../send/files.ts'
import type { FileProgress } from '../send/progress.ts'

export interface Deletion {
  readonly isDeleted: boolean
  /** Why it was kept; each ends with what that means. */
  readonly reasons: readonly { readonly reason: string; readonly message: string }[]
  /** Of this file alone. */
  readonly exit: Exit
  readonly receiptFile?: string
}

interface DeleteLocal extends OpenedLocal {
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
    return notDeleted('symbolic_link', 'It was named by a symbolic link. Name the file itself to delete it.')
  // What was not read was not sent.
  if (before.size !== BigInt(source.size))
    return notDeleted(
      'size_unclear',
      'Its disk states another size than it gives bytes. Delete it yourself if that is right.',
    )
  const { owner, profile, server } = session
  const compared = hashing(source)
  const answer = await owner.verifyBeforeDestroying({
    assetId,
    source: compared.source,
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
  if (!(await removeUnchanged({ place: file.place, before, digest: compared.digest(), signal })))
    return { ...notDeleted('file_changed', 'It changed while it was compared.'), receiptFile }
  return { isDeleted: true, reasons: [], exit: EXIT.done, receiptFile }
}

interface ComparedFile {
  readonly place: Place
  /** The file before it was opened. */
  readonly before: BigIntStats
  /** SHA-256 of what was compared. Undefined if not all of it was. */
  readonly digest: string | undefined
  readonly signal: AbortSignal
}

/** Whether it was the file that was compared, and is deleted. Reads it again: on some disks a change moves no time. */
export async function removeUnchanged({ place, before, digest, signal }: ComparedFile): Promise<boolean> {
  const isUnchanged = async () => isSameFile(before, await stat(place, { bigint: true }))
  if (digest === undefined || !(await isUnchanged())) return false
  if ((await digestAt(place, signal)) !== digest || !(await isUnchanged())) return false
  await rm(place)
  return true
}

const PIECE_BYTES = 1024 * 1024

/** Undefined if it has changed, or is being written. */
async function digestAt(place: Place, signal: AbortSignal): Promise<string | undefined> {
  try {
    const opened = await openFile(place, signal)
    try {
      return await digestOf(opened.source, signal)
    } finally {
      await opened.close()
    }
  } catch (error) {
    if (error instanceof SourceChanged) return undefined
    throw error
  }
}

async function digestOf(source: Source, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for (let from = 0; from < source.size; from += PIECE_BYTES) {
    signal.throwIfAborted()
    hash.update(await source.read(from, Math.min(from + PIECE_BYTES, source.size)))
  }
  await source.requireEnd()
  return hash.digest('hex')
}

/** The same source, and the hash of what was read of it, from its first byte to its last. */
function hashing(source: Source): { readonly source: Source; digest(): string | undefined } {
  let hash = createHash('sha256')
  let end = 0
  return {
    source: {
      ...source,
      async read(from, to) {
        const bytes = await source.read(from, to)
        if (from === 0) {
          hash = createHash('sha256')
          end = 0
        }
        if (from === end) {
          hash.update(bytes)
          end = to
        }
        return bytes
      },
    },
    digest: () => (end === source.size ? hash.copy().digest('hex') : undefined),
  }
}

function notDeleted(reason: string, message: string): Deletion {
  return { isDeleted: false, reasons: [{ reason, message }], exit: EXIT.failed }
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  const members = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const
  return members.every((member) => one[member] === other[member])
}
