/** Uploads a file into an album, or continues, until it landed and its receipts are checked and saved. */
import type { Device } from '@blindkeep/client/device'
import { AuditError, ProblemError, SendError } from '@blindkeep/client/errors'
import type { OpenFile } from '@blindkeep/client/node'
import { type Owner, parseUploadState, type UploadState } from '@blindkeep/client/owner'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { pinsOf } from '../home/pins.ts'
import { type Landing, mayDiffer, notAsked, notRetained, recordGone, withoutReceipt } from '../outcomes/afterLanding.ts'
import { keepReceipts } from '../receipts/keep.ts'
import type { ChosenFile } from '../send/files.ts'
import {
  isSameVersion,
  isUntouched,
  type RememberedFile,
  rememberedFile,
  type Version,
  versionOf,
} from '../send/remembered.ts'
import type { SendOne } from '../send/sendEach.ts'
import { withFile } from '../send/withFile.ts'
import { type Deletion, deleteLocal } from './deleteLocal.ts'

interface UploadFile extends SendOne {
  readonly session: SignedIn
  readonly device: Device
  readonly album: AlbumId
  readonly file: ChosenFile
  /** A folder; without it the receipts go to the profile. */
  readonly receipts: string | undefined
  readonly again: boolean
  /** What was deleted from the account. */
  readonly deleted: () => Promise<ReadonlySet<AssetId>>
  /** Deletes the file once the server is proven to have it. */
  readonly thenDelete: boolean
  /** RFC 3339: it cannot be deleted from the account before, also if it had landed already. */
  readonly retainUntil: string | undefined
  readonly signal: AbortSignal
}

interface LandedAsset extends Landing {
  readonly assetId: AssetId
  /** Of the sealed original. */
  readonly ciphertextHash: string
  /** RFC 3339, as it was signed. */
  readonly retainUntil?: string | undefined
}

export interface UploadResult extends LandedAsset {
  readonly isFromBefore: boolean
  /** The server has the file no more, because it was deleted from the account. */
  readonly wasDeleted?: boolean
  /** Bytes of the file. */
  readonly size: number
  /** Absent if an earlier call has saved the receipts. */
  readonly receiptFile?: string
  /** Present if the file was to be deleted. */
  readonly deletion?: Deletion
}

type KeptUpload = RememberedFile<UploadState, LandedAsset>

export function uploadFile(call: UploadFile): Promise<UploadResult> {
  const { session, album, file } = call
  const { owner, profile, recordsOf } = session
  const kept: KeptUpload = rememberedFile({
    home: profile.home,
    directory: profile.directory,
    vault: profile.vault,
    folder: 'uploads/',
    about: [recordsOf, owner.accountId, album, file.path],
    parseState: parseUploadState,
  })
  return kept.alone(() =>
    withFile(file.place, call.signal, async (opened) => {
      const landed = await landedFile(call, kept, { ...opened, version: versionOf(opened) })
      await retainLanded(call, landed)
      if (!call.thenDelete) return landed
      const deletion = await deleteLocal({ ...call, ...opened, assetId: landed.assetId })
      // A later file of this name is another one, whatever its size and time.
      if (deletion.isDeleted) await kept.remove()
      return { ...landed, deletion }
    }),
  )
}

/** Of what an earlier call has sent or begun, with an earlier end or none. */
async function retainLanded({ session, retainUntil }: UploadFile, landed: UploadResult): Promise<void> {
  const { assetId, wasDeleted, retainUntil: signed } = landed
  if (retainUntil === undefined || retainUntil === signed || wasDeleted === true) return
  const { skipped } = await session.owner.retainAssets([assetId], retainUntil).catch((cause) => {
    throw notRetained(cause)
  })
  if (skipped.length > 0) throw notRetained(undefined)
}

interface OpenedFile extends Pick<OpenFile, 'source' | 'modifiedAt'> {
  readonly version: Version
}

async function landedFile(call: UploadFile, kept: KeptUpload, opened: OpenedFile): Promise<UploadResult> {
  const { version } = opened
  const before = await kept.read()
  const isSame = before !== undefined && isSameVersion(before.version, version)
  const isTouched = !isUntouched(before?.version, version)
  if (before?.is === 'landed' && isSame && !call.again) {
    const { landed, hasReceipt } = before
    const result = { ...landed, size: version.size, isFromBefore: true }
    if (await wasDeleted(call, landed)) {
      // There is nothing that it could be compared with.
      if (isTouched) throw mayDiffer(landed)
      return { ...result, wasDeleted: true }
    }
    if (!isTouched || !(await differs(call, landed, opened))) {
      if (isTouched) await kept.write({ ...before, version })
      if (hasReceipt) return result
      return { ...result, receiptFile: await fetchReceipts(call, kept, { version, landed }) }
    }
  }
  if (before?.is === 'sending' && !isSame) await forget(call, before.state)
  const begun = before?.is === 'sending' && isSame ? before.state : undefined
  const landed = await sendOpened(call, kept, { ...opened, begun, isTouched })
  await kept.write({ is: 'landed', version, landed, hasReceipt: false })
  const receiptFile = await fetchReceipts(call, kept, { version, landed })
  return { ...landed, receiptFile, size: version.size, isFromBefore: false }
}

/** Asks whether the server has what landed before. Throws `AfterLanding` if not, or without an answer. */
async function wasDeleted({ session, deleted }: UploadFile, landed: LandedAsset): Promise<boolean> {
  try {
    await session.owner.asset(landed.assetId)
    return false
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'error.asset.not_found')) throw notAsked(landed, error)
  }
  if ((await deleted()).has(landed.assetId)) return true
  throw recordGone(landed)
}

/** Whether the file is another one than the one that has landed. Throws `AfterLanding` if that cannot be found out. */
async function differs(
  { session, signal, onProgress }: UploadFile,
  landed: LandedAsset,
  { source }: OpenedFile,
): Promise<boolean> {
  const { owner, profile, server } = session
  const answer = await owner.verifyBeforeDestroying({
    assetId: landed.assetId,
    source,
    depth: 'structural',
    // Only the content is asked for: this profile knows which asset it has sent.
    allowRevokedDevice: true,
    pinned: await pinsOf(profile.home, new URL(server).origin),
    onProgress: (progress) => onProgress({ ...progress, phase: 'comparing' }),
    signal,
  })
  const [doubt] = answer.safe ? [] : answer.doubts
  if (doubt === undefined) return false
  if (doubt.reason === 'file_differs') return true
  throw notAsked(landed, doubt.cause ?? new Error(doubt.message))
}

interface Begun {
  readonly begun: UploadState | undefined
  /** It may have another content than it was begun with. */
  readonly isTouched: boolean
}

async function sendOpened(
  { session: { owner }, device, album, file, retainUntil, signal, onProgress, turns }: UploadFile,
  kept: KeptUpload,
  { source, modifiedAt, version, begun, isTouched }: OpenedFile & Begun,
): Promise<LandedAsset> {
  const onState = (state: UploadState) => kept.write({ is: 'sending', version, state })
  const fresh = async () => {
    const facts = { source, name: file.name, modifiedAt, retainUntil }
    const state = await owner.prepareUpload({ ...facts, album, device, signal, onProgress })
    await onState(state)
    return await sending(state)
  }
  const sending = async (state: UploadState): Promise<LandedAsset> => {
    const { assetId } = await owner.finishUpload({ state, source, onState, signal, onProgress, turns })
    const { ciphertext_hash: ciphertextHash, retention_until: until } = state.envelope
    return { assetId, ciphertextHash, retainUntil: until ?? undefined, landedAt: new Date().toISOString() }
  }
  if (begun === undefined) return await fresh()
  try {
    if (isTouched) await owner.requireSameFile({ state: begun, source, signal, onProgress })
    return await sending(begun)
  } catch (error) {
    // What was signed long ago may not be accepted any more, and the content may have changed under the same time.
    if (!(error instanceof SendError && error.remedy === 'prepare_again') || signal.aborted) throw error
    await forget({ session: { owner } }, begun)
    return await fresh()
  }
}

/** Gives the room of an upload back that will not go on. The server forgets it by itself, too. */
async function forget({ session }: { readonly session: { readonly owner: Owner } }, state: UploadState): Promise<void> {
  await session.owner.cancelUpload(state).catch(() => undefined)
}

interface LandedFile {
  readonly version: Version
  readonly landed: LandedAsset
}

/** Checks the receipts of what was sent, and saves them. Returns the path. Throws `AfterLanding`. */
async function fetchReceipts(call: UploadFile, kept: KeptUpload, file: LandedFile): Promise<string> {
  return await savedReceipts(call, kept, file).catch((cause) => {
    call.signal.throwIfAborted()
    throw withoutReceipt(cause)
  })
}

async function savedReceipts(call: UploadFile, kept: KeptUpload, { version, landed }: LandedFile): Promise<string> {
  const { session, signal } = call
  const pinned = await pinsOf(session.profile.home, new URL(session.server).origin)
  const checked = await session.owner.assetReceipts(landed.assetId, { pinned, signal })
  const isOfSent = checked.receipts.some(({ receipt }) => receipt.ciphertext_hash === landed.ciphertextHash)
  if (!isOfSent) throw new AuditError('wrong_hash', 'the receipts are for other bytes than the ones sent')
  const { assetId } = landed
  const { receipts: folder, file } = call
  const receiptFile = await keepReceipts(session.profile, { assetId, checked, folder, name: file.name })
  await kept.write({ is: 'landed', version, landed, hasReceipt: true })
  return receiptFile
}
