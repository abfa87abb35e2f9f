/** `blindkeep receipt check`: whether a saved receipt holds, and whether a file is the one of a proof. No account. */
import { stat } from 'node:fs/promises'
import { PROOF_FAULTS } from '@blindkeep/client/errors'
import { checkFile, checkSigned, type FileProof, ProofError, readProofs } from '@blindkeep/client/fileProof'
import { nodeEnvironment as environment, openFile } from '@blindkeep/client/node'
import type { FileDescription } from '@blindkeep/client/owner'
import type { DecodedReceipt } from '@blindkeep/protocol/receipt'
import { streamOf } from '../ground/disk.ts'
import { EXIT, type Exit, LocalError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { fieldFacts } from '../ground/questionTexts.ts'
import { createReport, type Report, type ReportFlags } from '../ground/report.ts'
import { shown } from '../ground/texts.ts'
import { homeDirectory } from '../home/files.ts'
import { type Failure, failureOf } from '../outcomes/failures.ts'
import { createOutcomes, type Outcomes } from '../outcomes/outcomes.ts'
import { createProgress } from '../send/progress.ts'
import { createKeysOfCheck, type KeysOfCheck, originOf, presentAddress } from './keysOfCheck.ts'

export interface CheckFlags extends ReportFlags {
  readonly keys?: string
  readonly server?: string
}

interface Checking {
  readonly path: string
  readonly keysOf: (proof: FileProof) => Promise<KeysOfCheck>
  readonly serverId: string | undefined
  readonly report: Report
  readonly outcomes: Outcomes
  readonly signal: AbortSignal
}

/** A receipt of which the signed values hold. */
interface Signed {
  readonly proof: FileProof
  readonly signed: DecodedReceipt
  readonly keys: KeysOfCheck
}

const LIMITS =
  'It does not show through which link it came or for whom, that anyone could open it, who sent it, or that the server still has it. The time is that of the server’s clock.'

/** `path`: of the proof or receipt; - for standard input. */
export async function checkReceipt(path: string, file: string | undefined, flags: CheckFlags): Promise<Exit> {
  const { keys: given } = flags
  const report = createReport(flags)
  const home = homeDirectory()
  const expected = flags.server === undefined ? undefined : await presentAddress(home, flags.server)
  const checking = {
    ...{ path, report, outcomes: createOutcomes(report) },
    keysOf: createKeysOfCheck({ home, given, server: expected }),
    serverId: expected === undefined ? undefined : originOf(expected),
  }
  return await interruptible(async (signal) =>
    file === undefined ? await checkEach({ ...checking, signal }) : await checkOne({ ...checking, signal }, file),
  )
}

async function* proofsIn({ path, signal }: Checking): AsyncGenerator<FileProof> {
  for await (const proof of readProofs(path === '-' ? process.stdin : streamOf(path))) {
    signal.throwIfAborted()
    yield proof
  }
}

async function signedOf({ keysOf, serverId }: Checking, proof: FileProof): Promise<Signed> {
  const keys = await keysOf(proof)
  return { proof, signed: await checkSigned(proof, { keys: keys.keys, serverId }), keys }
}

/** Without the file: what is signed, of each receipt. */
async function checkEach(checking: Checking): Promise<Exit> {
  const { report, outcomes } = checking
  const exits: Exit[] = []
  let [number, hasOpening] = [0, false]
  try {
    for await (const proof of proofsIn(checking)) {
      number += 1
      try {
        const one = await signedOf(checking, proof)
        report.answer(`${signedText(one)} ${sourceText(one.keys)}`, factOf(one))
        exits.push(exitOf(one.keys))
        hasOpening ||= proof.file?.opening !== undefined
      } catch (error) {
        fail(checking, error, number, number > 1 ? `Number ${number}: ` : '')
      }
    }
  } catch (error) {
    fail(checking, error, number + 1, number > 0 ? `Number ${number + 1}: ` : '')
  }
  const rest = hasOpening ? 'What file that was, only the file shows: name it, too. ' : ''
  if (exits.length > 0) report.aside(`${rest}${LIMITS}`)
  return outcomes.failed().length > 0 ? outcomes.exit() : (exits.find((exit) => exit !== EXIT.done) ?? EXIT.done)
}

/** Before the fault of the form, which is that nothing in them says of which file they are. */
const RECEIPTS =
  'There are only receipts here, and a receipt names no file: it says that the server had these encrypted bytes. Only a proof names a file. It is saved with `blindkeep receipts FILE --proof` from an account, and by `drop --proof` or the page in the visit that sends the file. '

/** With the file: the first of the proofs that is about it. */
async function checkOne(checking: Checking, file: string): Promise<Exit> {
  const { report, signal } = checking
  await requireFile(file)
  const opened = await openFile(file, signal)
  const underWay = { shownAs: file, size: opened.source.size }
  const progress = createProgress([underWay], report)
  const failures: { readonly error: unknown; readonly number: number }[] = []
  let number = 0
  let hasOpening = false
  try {
    for await (const proof of proofsIn(checking)) {
      number += 1
      hasOpening ||= proof.file?.opening !== undefined
      try {
        const one = await signedOf(checking, proof)
        const { size } = one.signed.payload
        const onProgress = (bytes: number) => progress.of(underWay)({ phase: 'comparing', bytes, of: size })
        const { source } = opened
        const described = await checkFile({ proof, signed: one.signed, source, environment, signal, onProgress })
        progress.end(underWay)
        report.answer(fileText(one, described, file), {
          ...factOf(one),
          ...(exitOf(one.keys) === EXIT.done && { event: 'holds' }),
          path: file,
          ...wordsOf(described),
        })
        report.aside(LIMITS)
        return exitOf(one.keys)
      } catch (error) {
        signal.throwIfAborted()
        failures.push({ error, number })
        if (!(error instanceof ProofError)) break
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    failures.push({ error, number: number + 1 })
  } finally {
    progress.end(underWay)
    await opened.close()
  }
  report.end()
  const furthest = failures.toSorted((one, other) => depthOf(other.error) - depthOf(one.error))[0]
  if (furthest !== undefined) {
    const { error, number: nearest } = furthest
    const many = `None of ${failures.length} proofs is about this file. The nearest is number ${nearest}: `
    const isReceipt = !hasOpening && error instanceof ProofError && error.reason === 'form'
    fail(checking, error, nearest, isReceipt && number > 0 ? RECEIPTS : failures.length > 1 ? many : '')
  }
  return checking.outcomes.exit()
}

/** An archive may bring a pipe, at which the system waits without end, also after Ctrl-C. */
async function requireFile(path: string): Promise<void> {
  if (!(await stat(path)).isFile()) throw new LocalError(`${path} is no file. Name a file that has the bytes.`)
}

/** The later the step, the more it says. What is no fault of a proof comes first. */
function depthOf(error: unknown): number {
  return error instanceof ProofError ? PROOF_FAULTS.indexOf(error.reason) : PROOF_FAULTS.length
}

/** `before`: of the message. */
function fail({ path, outcomes }: Checking, error: unknown, number: number, before = ''): void {
  const failure: Failure = failureOf(error)
  outcomes.fail(path, { path, number }, { ...failure, message: `${before}${failure.message}` })
}

/** 2 is for what only the proof itself says whose it is. */
const exitOf = ({ from }: KeysOfCheck): Exit => (from === 'proof' ? EXIT.usage : EXIT.done)

/** The time in UTC, as it is signed: others read it elsewhere. */
const utcText = (instant: string) => `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`

const numberText = (count: number) => new Intl.NumberFormat('en').format(count)

function signedText({ signed: { payload, keyId }, keys }: Signed): string {
  const { server_id: name, received_at, size, ciphertext_hash, receipt_seq, blob_role: role } = payload
  const now = keys.keys.serverId
  const who =
    keys.from === 'proof'
      ? `The key ${keyId.slice(0, 16)}… signed, in the name of ${name},`
      : now === name
        ? `The server ${name} signed`
        : `A key that ${now} lists as its own signed, in its former name ${name},`
  const what = role === 'original' ? 'sealed bytes' : `sealed bytes (${role})`
  return `${who} that at ${utcText(received_at)} it had ${what}: ${numberText(size)} of them, SHA-256 ${ciphertext_hash}, receipt ${receipt_seq}.`
}

function sourceText({ from, source = '', keys: { serverId }, knowsOthers }: KeysOfCheck): string {
  if (from !== 'proof') return `Checked with the keys ${source}.`
  const others = knowsOthers === true ? ` This machine knows other keys of ${serverId}.` : ''
  return `Nothing here says that the key is that of ${serverId}: it came with the proof.${others} Get the keys of the server from a source of your own, and name it with --keys.`
}

function fileText(one: Signed, described: FileDescription, file: string): string {
  const { size, name, sender, note, type, modifiedAt, fields = [] } = described
  const facts = Object.entries({ name, sender, note, type, changed: modifiedAt }).flatMap(([what, text]) =>
    text === undefined ? [] : [`  ${what}: ${shown(text)}`],
  )
  const words = [...facts, ...fields.map(([label, value]) => `  answer to ${shown(label)}: ${shown(value)}`)]
  const says = 'The sealed header, which its sender wrote, says'
  return [
    `${signedText(one)} Sealed again with the key in this proof, ${shown(file)} of ${numberText(size)} bytes gives exactly these bytes.`,
    ...(words.length === 0 ? [`${says} nothing about it.`] : [`${says}:`, ...words]),
    sourceText(one.keys),
  ].join('\n')
}

function factOf({ proof, signed: { payload, keyId }, keys }: Signed) {
  const { server_id, receipt_seq, received_at, blob_role, size, ciphertext_hash, upload_id, asset_id, drop_id } =
    payload
  return {
    event: keys.from === 'proof' ? 'unknown_key' : 'signed',
    ...{ server_id, receipt_seq, received_at, blob_role, size, ciphertext_hash, upload_id, asset_id, drop_id },
    server_key_id: keyId,
    keys_of: keys.keys.serverId,
    keys_from: keys.from,
    has_opening: proof.file?.opening !== undefined,
  }
}

const wordsOf = ({ size, name, sender, note, fields, type, modifiedAt }: FileDescription) => ({
  file: { size, name, sender, note, fields: fieldFacts(fields), type, modified_at: modifiedAt },
})
