/** `blindkeep drop`: seals files on this machine and sends them through a link. */
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openLink, parseLink, type UploadLink } from '@blindkeep/client/guest'
import { nodeEnvironment } from '@blindkeep/client/node'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { secret } from '../ask.ts'
import { EXIT, type Exit, exitOf, UsageError } from '../exits.ts'
import { failureOf } from '../failures.ts'
import { isRunning, runningId } from '../home/claims.ts'
import { homeDirectory } from '../home/files.ts'
import { interruptible } from '../interrupts.ts'
import { createReport, type Report, type ReportFlags } from '../report.ts'
import { durationText, shown } from '../texts.ts'
import { type Choice, type ChosenFile, chooseFiles, spool } from './files.ts'
import { misfits } from './misfits.ts'
import { createProgress } from './progress.ts'
import { type DropResult, sendFile } from './sendFile.ts'

export interface DropFlags extends ReportFlags {
  readonly name?: string
  readonly note?: string
  readonly sender?: string
  readonly receipts?: string
  readonly passphraseFile?: string
  readonly again?: boolean
}

interface DropCall {
  readonly link: string
  readonly paths: readonly string[]
  readonly flags: DropFlags
}

/** Small files wait for the server's disk and for answers most of the time. */
const AT_ONCE = 4

export async function drop({ link, paths, flags }: DropCall): Promise<Exit> {
  parseLink(link)
  const home = homeDirectory()
  const report = createReport(flags)
  return await interruptible(async (signal) => {
    const spooled = await spooledInput({ home, paths, flags })
    try {
      const choice = spooled === undefined ? await chooseFiles(paths) : { files: [spooled], others: [] }
      const opened = await openLink(link, nodeEnvironment)
      tellLimits(opened, report)
      return await sendAll({ link, opened, choice, flags, home, report, signal })
    } finally {
      report.end()
      if (spooled !== undefined) await rm(spooled.path, { force: true })
    }
  })
}

interface SendAll {
  readonly link: string
  readonly opened: UploadLink
  readonly choice: Choice
  readonly flags: DropFlags
  readonly home: string
  readonly report: Report
  readonly signal: AbortSignal
}

async function sendAll({ link, opened, choice, flags, home, report, signal }: SendAll): Promise<Exit> {
  const failed: Exit[] = []
  const fail = (shownAs: string, { message, reason, exit }: ReturnType<typeof failureOf>) => {
    failed.push(exit)
    const text = message.startsWith(`${shownAs} `) ? message : `${shownAs}: ${message}`
    report.problem(shown(text), { event: 'failed', path: shownAs, reason, message })
  }
  for (const { shownAs, why, isWrong } of choice.others) {
    if (isWrong) fail(shownAs, { message: why, reason: 'unreadable', exit: EXIT.failed })
    else report.problem(`${shown(shownAs)} is left out: it ${why}.`, { event: 'left_out', path: shownAs, reason: why })
  }
  // A file that is too large is never begun, whatever became of the others.
  const tooLarge = misfits(opened.limits, choice.files)
  for (const [{ shownAs }, message] of tooLarge) fail(shownAs, { message, reason: 'too_large', exit: EXIT.failed })
  const files = choice.files.filter((file) => !tooLarge.has(file))
  const passphrase = opened.limits.passphraseRequired && files.length > 0 ? await passphraseOf(flags) : undefined
  const progress = createProgress(files, report)
  const results = await mapConcurrently(files, AT_ONCE, async (file) => {
    if (signal.aborted) return undefined
    const onProgress = progress.of(file)
    try {
      const result = await sendFile({ ...flags, link, opened, file, home, passphrase, signal, onProgress })
      tellLanded(file, result, report)
      return result
    } catch (error) {
      if (!signal.aborted) fail(file.shownAs, failureOf(error))
      return undefined
    } finally {
      progress.end(file)
    }
  })
  return conclude({
    results: results.filter((result) => result !== undefined),
    failed,
    report,
    signal,
    of: files.length,
  })
}

interface Conclusion {
  readonly results: readonly DropResult[]
  readonly failed: readonly Exit[]
  readonly report: Report
  readonly signal: AbortSignal
  readonly of: number
}

function conclude({ results, failed, report, signal, of }: Conclusion): Exit {
  const before = results.filter(({ isFromBefore }) => isFromBefore).length
  const landed = results.length - before
  report.end()
  if (signal.aborted) {
    const text = `Stopped: ${results.length} of ${of} files have landed. Call the same line again to go on.`
    report.problem(text, { event: 'stopped', landed, landed_before: before })
    return EXIT.interrupted
  }
  const parts = [
    `${landed} ${landed === 1 ? 'file has' : 'files have'} landed`,
    ...(before > 0 ? [`${before} had landed before`] : []),
    ...(failed.length > 0 ? [`${failed.length} did not`] : []),
  ]
  report.result(`${parts.join(', ')}.`, { event: 'done', landed, landed_before: before, failed: failed.length })
  return exitOf(failed)
}

function tellLanded({ shownAs }: ChosenFile, result: DropResult, report: Report): void {
  const { isFromBefore, uploadId, ciphertextHash, size, receiptSeq, receivedAt, receiptFile } = result
  const fact = {
    event: isFromBefore ? 'landed_before' : 'landed',
    path: shownAs,
    upload_id: uploadId,
    ciphertext_hash: ciphertextHash,
    size,
    receipt_seq: receiptSeq,
    received_at: receivedAt,
    receipt_file: receiptFile,
  }
  const text = isFromBefore
    ? `${shown(shownAs)} had landed before. --again sends it again.`
    : `${shown(shownAs)} has landed, receipt ${receiptSeq}.`
  report.result(text, fact)
}

function tellLimits({ limits }: UploadLink, report: Report): void {
  const { fileBytesMax, remainingBytes, remainingFiles, expiresAt } = limits
  const parts = [
    ...(remainingFiles === undefined ? [] : [`${remainingFiles} more ${remainingFiles === 1 ? 'file' : 'files'}`]),
    ...(remainingBytes === undefined ? [] : [`${sizeText(remainingBytes)} in all`]),
    ...(fileBytesMax === undefined ? [] : [`${sizeText(fileBytesMax)} a file`]),
    ...(expiresAt === undefined ? [] : [expiryText(expiresAt)]),
  ]
  report.result(`The link takes ${parts.length === 0 ? 'any file' : parts.join(', ')}.`, {
    event: 'link',
    remaining_files: remainingFiles,
    remaining_bytes: remainingBytes,
    file_bytes_max: fileBytesMax,
    expires_at: expiresAt,
    passphrase_required: limits.passphraseRequired,
  })
}

function expiryText(expiresAt: string): string {
  const seconds = (Date.parse(expiresAt) - Date.now()) / 1000
  return seconds > 0 ? `for ${durationText(seconds)}` : 'and is about to expire'
}

function passphraseOf({ passphraseFile }: DropFlags): Promise<string> {
  return secret({
    what: 'Passphrase of the link',
    file: passphraseFile,
    variable: 'BLINDKEEP_PASSPHRASE',
    flag: '--passphrase-file',
  })
}

/** Standard input as a file: a receipt and a repeat need its size and hash before the first byte is sent. */
async function spooledInput({
  home,
  paths,
  flags: { name },
}: Pick<SendAll, 'home' | 'flags'> & { readonly paths: readonly string[] }): Promise<ChosenFile | undefined> {
  if (!paths.includes('-')) {
    if (name !== undefined) throw new UsageError('--name is for standard input: files keep their names.')
    return undefined
  }
  if (paths.length > 1) throw new UsageError('- for standard input stands alone: send files with another call.')
  if (name === undefined) throw new UsageError('standard input needs a name: add --name.')
  const directory = join(home, 'spool')
  await mkdir(directory, { mode: 0o700, recursive: true })
  // What killed processes have left. It is not sealed.
  for (const left of await readdir(directory))
    if (!isRunning(home, left)) await rm(join(directory, left), { force: true })
  const path = join(directory, await runningId(home))
  const handle = await open(path, 'wx', 0o600)
  try {
    const size = await spool(createReadStream('', { fd: 0, autoClose: false }), handle)
    return { path, shownAs: name, name, size }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
