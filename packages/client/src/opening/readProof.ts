/** Reads saved receipts and proofs about files that other people made. Bounds come before everything else. */
import { concatBytes, fromBase64 } from '@blindkeep/protocol/bytes'
import { isObject } from '@blindkeep/protocol/json'
import { keyId as keyIdOf } from '@blindkeep/protocol/keys'
import { refuseRepeatedMembers } from '@blindkeep/protocol/repeatedMembers'
import { PublishedKeyResponse } from '@blindkeep/protocol/schemas/discovery'
import { MAX_PROOF_BYTES, MAX_PROOF_LINES, Opening, ReceiptFile } from '@blindkeep/protocol/schemas/openings'
import { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { list, object } from '@blindkeep/protocol/schemas/shape'
import { Type } from 'typebox'
import { excessIn, readAnswer } from '../http/answer.ts'
import { type ByteStream, piecesOf } from '../seal/byteReader.ts'
import type { PinnedKeys } from '../verify/pinnedKeys.ts'
import { ProofError } from './proofError.ts'

/** Keys of the server, as the one who saved it has seen them. */
const Hint = object('Hint', { keys: list(PublishedKeyResponse, 'Oldest first.') })

const ProofDocument = object('ProofDocument', {
  ...AssetReceipt.properties,
  file: Type.Optional(ReceiptFile),
})

/** What a document says. Nothing of it is checked. */
export interface FileProof {
  readonly receipt: AssetReceipt
  /** Without an `opening`, it is a receipt and no proof. */
  readonly file: ReceiptFile | undefined
  /** The key that signed, as the document itself has it: a hint. It says nothing about whose key it is. */
  readonly hintedKeys: PinnedKeys | undefined
}

/** Reads one document, in UTF-8. Throws `ProofError` (`form`). */
export function parseProof(bytes: Uint8Array): FileProof {
  return proofIn(documentIn(bytes))
}

/**
 * Reads one document, or JSON Lines: as many as the caller asks for, with flat memory. They are lines if the first is
 * JSON by itself. A document may also be the receipts of a file of an account, as they are saved. Throws `ProofError`
 * (`form`) at the first that is none.
 */
export async function* readProofs(stream: ByteStream): AsyncGenerator<FileProof, void, undefined> {
  const head: Uint8Array[] = []
  let [headBytes, isLines] = [0, false]
  for await (const line of linesOf(stream)) {
    const json = headBytes === 0 ? jsonOf(textOf(line)) : undefined
    if (json !== undefined) {
      isLines = true
      yield* proofsIn(json)
    } else if (isLines) throw new ProofError('form', 'a line is not JSON')
    else {
      head.push(line, LINE_FEED)
      headBytes += line.length + 1
      requireBound(headBytes)
    }
  }
  if (!isLines) yield* proofsIn(documentIn(concatBytes(...head)))
}

const LINE_FEED = Uint8Array.of(0x0a)

/** Lines that are not empty, each within the bound of a document. */
async function* linesOf(stream: ByteStream): AsyncGenerator<Uint8Array, void, undefined> {
  let [parts, bytes, lines]: [Uint8Array[], number, number] = [[], 0, 0]
  for await (const piece of piecesOf(stream)) {
    let rest = piece
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      lines += 1
      if (lines > MAX_PROOF_LINES) throw new ProofError('form', `it has more than ${MAX_PROOF_LINES} lines`)
      requireBound(bytes + end)
      if (bytes + end > 0) yield concatBytes(...parts, rest.subarray(0, end))
      ;[parts, bytes, rest] = [[], 0, rest.subarray(end + 1)]
    }
    parts.push(Uint8Array.from(rest))
    bytes += rest.length
    requireBound(bytes)
  }
  if (bytes > 0 && lines === MAX_PROOF_LINES) throw new ProofError('form', `it has more than ${MAX_PROOF_LINES} lines`)
  if (bytes > 0) yield concatBytes(...parts)
}

function requireBound(bytes: number): void {
  if (bytes > MAX_PROOF_BYTES) throw new ProofError('form', `a proof has at most ${MAX_PROOF_BYTES} bytes`)
}

function textOf(bytes: Uint8Array): string {
  requireBound(bytes.length)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ProofError('form', 'it is not UTF-8', { cause })
  }
}

/** Undefined for what is not JSON. A member that occurs twice may be read differently elsewhere, so it is refused. */
function jsonOf(text: string): unknown {
  const excess = excessIn(text)
  if (excess !== undefined) throw new ProofError('form', excess)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  try {
    refuseRepeatedMembers(text)
  } catch (cause) {
    throw new ProofError('form', 'a member occurs twice, or a text is not Unicode', { cause })
  }
  return json
}

function documentIn(bytes: Uint8Array): unknown {
  const json = jsonOf(textOf(bytes))
  if (json === undefined) throw new ProofError('form', 'it is not JSON')
  return json
}

/** Of the server's answer about a file of an account: its receipts. */
function proofsIn(json: unknown): readonly FileProof[] {
  if (!isObject(json) || !Array.isArray(json.receipts)) return [proofIn(json)]
  // Or a check of nothing would find no fault.
  if (json.receipts.length === 0) throw new ProofError('form', 'it has no receipt')
  return json.receipts.map((receipt: unknown) => proofIn(receipt, json))
}

/** `hints`: what may have the keys of the server. */
function proofIn(json: unknown, hints = json): FileProof {
  const { value, fault } = readAnswer(ProofDocument, json)
  if (fault !== undefined) throw new ProofError('form', `it is no receipt or proof: ${fault}`)
  requireOnlyKnown(json)
  const { file, ...receipt } = value
  return { receipt, file, hintedKeys: hintIn(receipt, hints) }
}

/** An opening with more members is of another version. */
function requireOnlyKnown(json: unknown): void {
  const file = isObject(json) ? json.file : undefined
  const opening = isObject(file) ? file.opening : undefined
  if (isObject(opening) && Object.keys(opening).some((name) => !Object.hasOwn(Opening.properties, name)))
    throw new ProofError('form', 'its opening has a member that is not of this version')
}

/** Readers with keys of their own pass it over, so one of another form is as none. */
function hintIn({ server_id: serverId, server_key_id: keyId }: AssetReceipt, json: unknown): PinnedKeys | undefined {
  const signer: string = keyId
  const key = readAnswer(Hint, json).value?.keys.find(({ public: bytes }) => keyIdOf(fromBase64(bytes)) === signer)
  if (key === undefined) return undefined
  const { public: bytes, active_from: activeFrom, active_to } = key
  return { serverId, keys: [{ keyId, public: bytes, activeFrom, activeTo: active_to ?? undefined }] }
}
