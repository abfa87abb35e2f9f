/** Sends one file, or continues an earlier process, until it landed and its receipt is checked and saved. */
import { basename, dirname, join } from 'node:path'
import { NetworkError, ProblemError, SendError } from '@blindkeep/client/errors'
import {
  askSend,
  type Batch,
  cancelSend,
  forNewSession,
  type Landed,
  parseLink,
  requireSamePlaintext,
  type SendState,
  type SpelledPassphrase,
  send,
  type UploadLink,
  withPassphrase,
} from '@blindkeep/client/guest'
import type { OpenFile } from '@blindkeep/client/node'
import { fetchReceipt, hasReceipt } from '@blindkeep/client/receipts'
import type { Source } from '@blindkeep/client/source'
import { codeOf } from '../ground/disk.ts'
import { pin, pinsOf } from '../home/pins.ts'
import { type AfterLanding, isOld, mayDiffer, notAsked, recordGone, withoutReceipt } from '../outcomes/afterLanding.ts'
import {
  addedProof,
  addedReceipt,
  PROOF_ENDING,
  placedName,
  RECEIPT_ENDING,
  receiptsOfHome,
} from '../receipts/saved.ts'
import { noteReceipts, seenReceiptOf } from '../receipts/seenReceipts.ts'
import type { ChosenFile } from '../send/files.ts'
import { isSameVersion, isUntouched, type RememberedFile, type Version, versionOf } from '../send/remembered.ts'
import type { SendOne } from '../send/sendEach.ts'
import { withFile } from '../send/withFile.ts'
import { environment } from './environment.ts'
import type { Passphrase } from './passphrase.ts'
import { provenDrop } from './provenDrop.ts'
import { goesOn, isAtSameServer, type LandedBefore, rememberedDrop, type Words } from './remembered.ts'

/** A link that could not be opened takes nothing. What has landed through it stays known. */
export type LinkOrRefusal = UploadLink | ProblemError | NetworkError

interface SendFile extends Words, SendOne {
  readonly link: string
  readonly opened: LinkOrRefusal
  readonly file: ChosenFile
  readonly home: string
  readonly batch: Batch
  /** Undefined if the link asks for none. */
  readonly passphrase: Passphrase | undefined
  /** A folder; without it the receipt goes beside the file. */
  readonly receipts?: string | undefined
  /** Whether a proof, which has the key of the file, is saved too. */
  readonly proof?: boolean | undefined
  readonly again?: boolean | undefined
  readonly signal: AbortSignal
}

export interface DropResult extends LandedBefore {
  /** An earlier call has sent it. */
  readonly isFromBefore: boolean
  /** The server has said in this call that it has the file, or had it until its owner discarded it. */
  readonly isConfirmed: boolean
  /** This and the next one are absent if an earlier call has saved the receipt. */
  readonly receivedAt?: string
  readonly receiptFile?: string
  /** One of the next two, if a proof was asked for and this call has sent the file. */
  readonly proofFile?: string
  readonly proofFault?: unknown
}

export async function sendFile(call: SendFile): Promise<DropResult> {
  const kept = rememberedDrop(call.home, call.link, call.file.path)
  return await kept.alone(() => withFile(call.file.place, call.signal, (opened) => sendOpened(call, kept, opened)))
}

async function sendOpened(
  call: SendFile,
  kept: RememberedFile<SendState, LandedBefore>,
  opened: OpenFile,
): Promise<DropResult> {
  const { again = false, signal, onProgress, turns } = call
  const { source, modifiedAt } = opened
  const version = versionOf(opened)
  const before = await kept.read()
  const isSame = before !== undefined && isSameVersion(before.version, version)
  if (before?.is === 'landed' && isSame && !again) {
    // The receipt is of what has landed, whatever the file is by now.
    const result = await landedBefore(call, { ...before, kept })
    // No key of it is kept, so its content cannot be compared.
    if (!isUntouched(before.version, version)) throw mayDiffer(result)
    return result
  }
  const link = call.opened
  const begun = before?.is === 'sending' && isSame && goesOn(before.state, call) ? before.state : undefined
  const requireSame = async (state: SendState) => {
    if (state === begun && !isUntouched(before?.version, version))
      await requireSamePlaintext({ state, source, signal, onProgress })
  }
  if (link instanceof Error) {
    // It may have landed before the answer was lost, and have been the last file of the link.
    const status = begun && (await askSend(begun, environment).catch(() => undefined))
    if (begun === undefined || status?.is !== 'landed') throw link
    await requireSame(begun)
    const landed = factsOf(status.landed)
    return await withReceipt(call, { kept, version, landed, isFromBefore: false, sent: { state: begun, source } })
  }
  if (before?.is === 'sending' && begun === undefined && isAtSameServer(before.state, call.link))
    await forget(before.state)
  const keep = (state: SendState) => kept.write({ is: 'sending', version, state })
  let spelling = call.passphrase?.spelling()
  const prepare = async () => {
    const { note, sender, fields, batch } = call
    spelling = call.passphrase?.spelling()
    const words = { name: call.file.name, modifiedAt, note, sender, fields, batch }
    const prepared = await link.prepare({ ...words, source, passphrase: spelling, signal, onProgress })
    await keep(prepared)
    return prepared
  }
  let sent: SendState | undefined
  const sending = (state: SendState) => {
    sent = state
    return send({ state, source, signal, onProgress, onState: keep, turns, environment })
  }
  /** An earlier call may have had another passphrase, and an old link opens with another spelling of it. */
  const sendOtherwiseProven = async (refusal: SendError, refused: SpelledPassphrase | undefined): Promise<Landed> => {
    if (refused !== undefined) call.passphrase?.wasRefused(refused)
    const next = call.passphrase?.spelling()
    if (next === undefined) {
      await kept.remove()
      throw refusal
    }
    const proven = await withPassphrase(first, { link: call.link, passphrase: next }, environment)
    await keep(proven)
    return await sending(proven).catch((error: unknown) => {
      if (error instanceof SendError && error.reason === 'passphrase_refused') return sendOtherwiseProven(error, next)
      throw error
    })
  }
  const first = begun ?? (await prepare())
  const landed = await requireSame(first)
    .then(() => sending(first))
    .catch(async (error: unknown) => {
      if (!(error instanceof SendError) || signal.aborted) throw error
      // Once more: the server has forgotten the upload, or the file has changed under the same time.
      if (error.reason === 'session_unknown' || error.reason === 'session_failed') {
        const fresh = forNewSession(first, environment)
        await keep(fresh)
        return await sending(fresh)
      }
      if (error.reason === 'file_changed') {
        await forget(first)
        return await sending(await prepare())
      }
      if (error.reason !== 'passphrase_refused') throw error
      return await sendOtherwiseProven(error, begun === undefined ? spelling : undefined)
    })
  const facts = { kept, version, landed: factsOf(landed), isFromBefore: false }
  return await withReceipt(call, { ...facts, sent: { state: sent ?? first, source } })
}

interface LandedRecord extends Omit<LandedFile, 'isFromBefore' | 'sent'> {
  readonly hasReceipt: boolean
}

/** Saves its receipt, unless saved. The record still says which version landed. Throws `AfterLanding`. */
async function landedBefore(call: SendFile, { hasReceipt: isDone, ...file }: LandedRecord): Promise<DropResult> {
  const isKnown = await isConfirmed(call, file.landed)
  if (isDone) return { ...file.landed, isFromBefore: true, isConfirmed: isKnown }
  return await withReceipt(call, { ...file, isFromBefore: true })
}

function factsOf({ uploadId, ciphertextHash, size }: Landed): LandedBefore {
  return { uploadId, ciphertextHash, size, landedAt: new Date().toISOString() }
}

/** False after the time for which the server answers. Throws `AfterLanding`. */
async function isConfirmed({ link, opened }: SendFile, landed: LandedBefore): Promise<boolean> {
  if (isOld(landed)) return false
  if (opened instanceof NetworkError) throw notAsked(landed, opened)
  const { baseUrl, opaqueId } = parseLink(link)
  const isKnown = await hasReceipt({ custody: { ...landed, baseUrl, opaqueId }, environment }).catch((cause) => {
    throw notAsked(landed, cause)
  })
  if (!isKnown) throw unknownToServer(landed)
  return true
}

/** Records of earlier versions do not say when the file landed. */
function unknownToServer(landed: LandedBefore): AfterLanding {
  const [restored, old] = ['it may have been restored from a backup', 'the file landed more than 30 days ago']
  if (landed.landedAt === undefined) return recordGone(landed, `${restored}, or ${old}`)
  return recordGone(landed, isOld(landed) ? old : restored)
}

/** Gives the room of an upload back that will not go on. The server forgets it by itself, too. */
async function forget(state: SendState): Promise<void> {
  await cancelSend(state, environment).catch(() => undefined)
}

interface LandedFile {
  readonly kept: RememberedFile<SendState, LandedBefore>
  readonly version: Version
  readonly landed: LandedBefore
  readonly isFromBefore: boolean
  /** What this call has sent, with its key. */
  readonly sent?: { readonly state: SendState; readonly source: Source }
}

function isUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.upload.session_not_found'
}

/** The key goes before the receipt comes: a landed file needs none any more. */
async function withReceipt(call: SendFile, file: LandedFile): Promise<DropResult> {
  const { kept, version, landed, isFromBefore } = file
  await kept.write({ is: 'landed', version, landed, hasReceipt: false })
  return await savedReceipt(call, file).catch((cause) => {
    throw isFromBefore && isUnknown(cause) ? unknownToServer(landed) : withoutReceipt(cause)
  })
}

async function savedReceipt(call: SendFile, file: LandedFile): Promise<DropResult> {
  const { kept, version, landed, isFromBefore, sent } = file
  const { baseUrl, opaqueId } = parseLink(call.link)
  const pinned = await pinsOf(call.home, new URL(baseUrl).origin)
  const custody = { ...landed, baseUrl, opaqueId }
  const { receipt, signed, keys } = await fetchReceipt({ custody, pinned, environment })
  await pin(call.home, keys)
  await noteReceipts(call.home, keys.serverId, [seenReceiptOf(signed)])
  const receiptFile = await savedBeside(call, RECEIPT_ENDING, (path) => addedReceipt(path, receipt))
  const { receipt_seq: receiptSeq, received_at: receivedAt } = signed.payload
  const known = { ...landed, receiptSeq }
  await kept.write({ is: 'landed', version, landed: known, hasReceipt: true })
  const result = { ...known, isFromBefore, isConfirmed: true, receivedAt, receiptFile }
  if (call.proof !== true || sent === undefined) return result
  try {
    const proof = await provenDrop({ ...sent, receipt, keys, signal: call.signal })
    return { ...result, proofFile: await savedBeside(call, PROOF_ENDING, (path) => addedProof(path, proof)) }
  } catch (proofFault) {
    return { ...result, proofFault }
  }
}

/** In this program's home if none can be written beside the file, or its place has no text name. Returns the path. */
async function savedBeside(
  { file, receipts, home }: SendFile,
  ending: typeof RECEIPT_ENDING | typeof PROOF_ENDING,
  save: (path: string) => Promise<string>,
): Promise<string> {
  const ownPlace = join(receiptsOfHome(home), placedName(file, ending))
  if (receipts !== undefined) return await save(join(receipts, placedName(file, ending)))
  if (dirname(file.path) === join(home, 'spool') || typeof file.place !== 'string') return await save(ownPlace)
  try {
    return await save(join(dirname(file.path), `${basename(file.path)}${ending}`))
  } catch (error) {
    // That disk may lack anything: room, rights, such a name, the folder itself.
    if (codeOf(error) === undefined) throw error
    return await save(ownPlace)
  }
}
