/** `blindkeep drop`: seals files on this machine and sends them through a link. */
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { AddressError, MovedAway, NetworkError, ProblemError } from '@blindkeep/client/errors'
import { openLink, parseLink, type UploadLink } from '@blindkeep/client/guest'
import { withPath } from '@blindkeep/client/node'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { countText } from '@blindkeep/protocol/counts'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { HELD_BACK } from '@blindkeep/protocol/schemas/links'
import { EXPOSED, givenAddress, requireKind, secret } from '../ground/ask.ts'
import { makeFolder } from '../ground/disk.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { askedFacts } from '../ground/questionTexts.ts'
import { createReport, type Report, type ReportFlags } from '../ground/report.ts'
import { durationText, filesText, namesText, shown } from '../ground/texts.ts'
import { isRunning, runningId } from '../home/claims.ts'
import { homeDirectory } from '../home/files.ts'
import { refuseMoved } from '../home/pins.ts'
import { type Failure, failureOf, isMoved } from '../outcomes/failures.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { type Choice, type ChosenFile, chooseFiles } from '../send/files.ts'
import { sendEach, tellOthers } from '../send/sendEach.ts'
import { answersOf } from './answers.ts'
import { environment } from './environment.ts'
import { openGo } from './go.ts'
import { INBOX_FULL, misfits } from './misfits.ts'
import { linkAfterMove } from './movedLink.ts'
import { createPassphrase, type Passphrase } from './passphrase.ts'
import { type DropResult, type LinkOrRefusal, sendFile } from './sendFile.ts'
import { wrongKinds } from './wrongKinds.ts'

export interface DropFlags extends ReportFlags {
  readonly name?: string
  readonly note?: string
  readonly sender?: string
  readonly field?: readonly string[]
  readonly receipts?: string
  readonly proof?: boolean
  readonly passphraseFile?: string
  readonly again?: boolean
}

interface DropCall {
  /** `-` for standard input. */
  readonly given: string
  readonly paths: readonly string[]
  readonly flags: DropFlags
}

export async function drop({ given, paths, flags }: DropCall): Promise<Exit> {
  if (given === '-' && paths.includes('-')) throw new UsageError('The link and a file cannot both be standard input.')
  const report = createReport(flags)
  const asked = await givenAddress(given, report, EXPOSED.link)
  requireKind(asked, 'link')
  parseLink(asked)
  const home = homeDirectory()
  return await interruptible(async (signal) => {
    const spooled = await spooledInput({ home, paths, flags, signal })
    try {
      const choice =
        spooled === undefined
          ? await chooseFiles(paths, home)
          : { files: [spooled], others: [], emptyFolders: [], receipts: [] }
      const { link, opened } = await openedWhereItIs({ link: asked, home, report })
      if (!(opened instanceof Error)) {
        tellOwner(opened, report)
        tellLimits(opened, report)
        requireOneFile(opened, choice.files)
      }
      return await sendAll({ link, opened, choice, flags, home, report, signal })
    } finally {
      report.end()
      if (spooled !== undefined) await rm(spooled.path, { force: true })
    }
  })
}

interface SendAll {
  readonly link: string
  readonly opened: LinkOrRefusal
  readonly choice: Choice
  readonly flags: DropFlags
  readonly home: string
  readonly report: Report
  readonly signal: AbortSignal
}

interface Place extends Pick<SendAll, 'home' | 'report'> {
  readonly link: string
}

/** Opens the link, at the new address if its server has moved and the guest agrees. */
async function openedWhereItIs({ link, home, report }: Place): Promise<Pick<SendAll, 'link' | 'opened'>> {
  const opened = await refuseMoved(home, link)
    .then(() => openedOrRefused(link))
    .catch((error: unknown) => {
      if (error instanceof MovedAway || error instanceof AddressError) return error
      throw error
    })
  if (!(opened instanceof MovedAway || opened instanceof AddressError) && !isMoved(opened)) return { link, opened }
  const next = await linkAfterMove({ link, home, report, error: opened })
  return { link: next, opened: await openedOrRefused(next) }
}

async function openedOrRefused(link: string): Promise<LinkOrRefusal> {
  try {
    return await openLink(link, environment)
  } catch (error) {
    if (error instanceof ProblemError) return error
    if (error instanceof NetworkError && error.failure !== 'redirected') return error
    throw error
  }
}

async function sendAll({ link, opened, choice, flags, home, report, signal }: SendAll): Promise<Exit> {
  const outcomes = createOutcomes(report)
  const sending = { report, outcomes, signal, again: flags.again }
  const before = await openGo(choice.files, { ...flags, link, home })
  if (opened instanceof Error && !choice.files.some(before.isKnown)) throw opened
  const known = opened instanceof Error ? undefined : opened
  const settled = choice.files.filter(before.hasLanded)
  if ((flags.field ?? []).length > 0 && settled.length > 0)
    report.aside(
      `${filesText(settled.length)} had landed before, with the answers of then. --again sends again, with the answers of now.`,
    )
  const unsettled = choice.files.filter((file) => !before.hasLanded(file))
  const wrong = await wrongKinds(known?.fileKinds, unsettled)
  // Of files of a wrong kind alone, nothing is sent.
  const asks = known !== undefined && wrong.size < unsettled.length
  const fields = asks ? await answersOf(known, flags.field ?? [], report) : undefined
  const go = fields === undefined ? before : await openGo(choice.files, { ...flags, link, home, fields })
  tellOthers(choice, sending)
  // A file of a wrong kind needs no room.
  const needing = choice.files.filter((file) => !wrong.has(file) && go.needsRoom(file))
  const unfit = new Map([...wrong, ...misfits(known?.limits ?? {}, needing)])
  for (const [{ shownAs }, failure] of unfit) outcomes.fail(shownAs, { path: shownAs }, failure)
  const isHeard = noteHeldBack(known, [...unfit.values()], signal)
  const files = choice.files.filter((file) => !unfit.has(file))
  const unsent = files.filter((file) => !go.hasLanded(file))
  if (unfit.size > 0 && unsent.length > 0)
    report.aside(
      `${unsent.length} of ${filesText(unsent.length + unfit.size)} will be sent: ${namesText(unsent.map(({ shownAs }) => shownAs))}.`,
    )
  const passphrase =
    known?.limits.passphraseRequired === true && unsent.length > 0 ? await passphraseOf(flags) : undefined
  const batchOf = go.batchesOf(files)
  const exit = await sendEach(files, sending, async (file, one) => {
    const result = await sendFile({
      ...flags,
      link,
      opened,
      file,
      batch: batchOf(file),
      fields,
      home,
      passphrase,
      signal,
      ...one,
    })
    tellLanded(file, result, report)
    if (flags.proof === true && result.proofFile === undefined)
      outcomes.fail(file.shownAs, { path: file.shownAs }, withoutProof(result))
    if (known?.limits.singleUse === true && !result.isFromBefore)
      report.result('This was the one file that the link takes.', { event: 'link_used_up' })
    return result
  })
  if (await isHeard) report.aside('The owner of the link will see why files did not fit, but not which files.')
  return exit
}

/** Whether the owner will hear of it. Runs beside the sending. */
async function noteHeldBack(
  link: UploadLink | undefined,
  unfit: readonly Failure[],
  signal: AbortSignal,
): Promise<boolean> {
  const reasons = HELD_BACK.filter((why) => unfit.some(({ reason }) => reason === why))
  return (await Promise.all(reasons.map((why) => link?.noteHeldBack(why, signal)))).includes(true)
}

/** Which of several files is meant, only the caller knows: the link ends with the first that lands. */
function requireOneFile({ limits }: UploadLink, { length }: readonly ChosenFile[]): void {
  if (limits.singleUse && length > 1)
    throw new UsageError(
      `The link takes one file, and these are ${length}. Nothing was sent. Name one file, or put them into one archive.`,
    )
}

function tellLanded({ shownAs }: ChosenFile, result: DropResult, report: Report): void {
  const { isFromBefore, isConfirmed, uploadId, ciphertextHash, size, receiptSeq, receivedAt } = result
  const { receiptFile, proofFile } = result
  const fact = {
    event: isFromBefore ? 'landed_before' : 'landed',
    path: shownAs,
    upload_id: uploadId,
    ciphertext_hash: ciphertextHash,
    size,
    receipt_seq: receiptSeq,
    received_at: receivedAt,
    receipt_file: receiptFile,
    proof_file: proofFile,
    confirmed: isFromBefore ? isConfirmed : undefined,
  }
  const text = isFromBefore
    ? `${shown(shownAs)} had landed before${isConfirmed ? '' : ', too long ago for the server to answer whether it still has it'}. --again sends it again.`
    : `${shown(shownAs)} has landed, receipt ${receiptSeq}.${proofFile === undefined ? '' : ` The proof is ${shown(proofFile)}.`}`
  report.result(text, fact)
}

/** The file has landed nevertheless. */
function withoutProof({ isFromBefore, proofFault }: DropResult): Failure {
  if (proofFault !== undefined) {
    const { message, ...failure } = failureOf(proofFault)
    return { ...failure, message: `It has landed, and no proof was saved. ${message}` }
  }
  const why = isFromBefore ? 'It had landed before, and its key was forgotten then' : 'Its key is not known'
  const message = `${why}, so there is no proof about it. Only the call that sends a file can save one: --again sends it again.`
  return { message, reason: 'no_proof', exit: EXIT.failed }
}

/** Before anything is sent, so that a guest with the wrong link can stop. */
function tellOwner({ title, message, from, fileKinds }: UploadLink, report: Report): void {
  const name = from === undefined ? undefined : `my name is ${from}`
  const kinds = fileKinds && `send ${fileKinds.join(', ')}`
  for (const line of [title, message, name, kinds])
    if (line !== undefined) report.aside(`The owner of the link says: ${line}`)
}

const TELL_OWNER = 'Tell the owner. What has begun may go on.'
/** Which of the two is full, the server does not say. */
const NO_ROOM = 'There is no room now: the link, or the storage of its owner, is full.'

function tellLimits({ limits, title, message, from, questions, fileKinds, now }: UploadLink, report: Report): void {
  const { fileBytesMax, remainingBytes, remainingFiles, inboxFull, singleUse, expiresAt } = limits
  const parts = [
    ...(singleUse ? ['one file'] : []),
    ...(singleUse || remainingFiles === undefined ? [] : [countText(remainingFiles, 'more file')]),
    ...(remainingBytes === undefined ? [] : [`${sizeText(remainingBytes)} in all`]),
    ...(fileBytesMax === undefined ? [] : [`${sizeText(fileBytesMax)} a file`]),
    ...(expiresAt === undefined ? [] : [expiryText(millisecondsOf(expiresAt) - now())]),
  ]
  const takes = `The link takes ${parts.length === 0 ? 'any file' : parts.join(', ')}.`
  const full = inboxFull ? INBOX_FULL : fileBytesMax === 0 ? NO_ROOM : undefined
  report.result(full === undefined || remainingFiles === 0 ? takes : `${full} ${TELL_OWNER}`, {
    event: 'link',
    title,
    message,
    from,
    ...askedFacts({ questions, fileKinds }),
    remaining_files: remainingFiles,
    inbox_full: inboxFull,
    remaining_bytes: remainingBytes,
    file_bytes_max: fileBytesMax,
    expires_at: expiresAt,
    single_use: limits.singleUse,
    passphrase_required: limits.passphraseRequired,
  })
}

function expiryText(leftMs: number): string {
  return leftMs > 0 ? `for ${durationText(leftMs / 1000)}` : 'and is about to expire'
}

async function passphraseOf({ passphraseFile }: DropFlags): Promise<Passphrase> {
  const typed = await secret({
    what: 'Passphrase of the link',
    file: passphraseFile,
    variable: 'BLINDKEEP_PASSPHRASE',
    flag: '--passphrase-file',
  })
  return createPassphrase(typed)
}

/** Standard input as a file: a receipt and a repeat need its size and hash before the first byte is sent. */
async function spooledInput({
  home,
  paths,
  flags: { name },
  signal,
}: Pick<SendAll, 'home' | 'flags' | 'signal'> & { readonly paths: readonly string[] }): Promise<
  ChosenFile | undefined
> {
  if (!paths.includes('-')) {
    if (name !== undefined) throw new UsageError('--name is for standard input: files keep their names.')
    return undefined
  }
  if (paths.length > 1) throw new UsageError('- for standard input stands alone: send files with another call.')
  if (name === undefined) throw new UsageError('standard input needs a name: add --name.')
  const directory = join(home, 'spool')
  makeFolder(directory, 0o700)
  // What killed processes have left. It is not sealed.
  for (const left of await readdir(directory))
    if (!isRunning(home, left)) await rm(join(directory, left), { force: true })
  const path = join(directory, await runningId(home))
  const handle = await open(path, 'wx', 0o600)
  try {
    const size = await withPath(path, () => spool(handle, signal))
    return { path, place: path, namedPlace: path, shownAs: name, name, size }
  } catch (error) {
    await rm(path, { force: true })
    signal.throwIfAborted()
    throw error
  } finally {
    await handle.close()
  }
}

/** Writes what comes from standard input to `handle`. Returns the number of bytes. Throws the signal's reason. */
async function spool(handle: FileHandle, signal: AbortSignal): Promise<number> {
  let size = 0
  try {
    for await (const piece of addAbortSignal(signal, process.stdin)) {
      await handle.writeFile(piece)
      size += piece.length
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
  // Ctrl-C ends the program before this one in the pipe, too: what came of it is not the whole.
  signal.throwIfAborted()
  return size
}
