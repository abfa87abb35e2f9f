/**
 * Checks a proof about a file, in the steps of docs/formats.md, "The proof about a file". Without the file only the
 * signed values are shown to hold: whose prefix stands beside a receipt, only all bytes together tell.
 */
import { fromBase64, fromHex } from '@blindkeep/protocol/bytes'
import type { DecodedReceipt } from '@blindkeep/protocol/receipt'
import type { Opening, ReceiptFile } from '@blindkeep/protocol/schemas/openings'
import { TAG_BYTES } from '@blindkeep/protocol/suites'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { secretsOfBlob } from '../seal/derive.ts'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import type { Header } from '../seal/header.ts'
import { type OpenedPrefix, openPrefix, requireWholePrefix } from '../seal/openHeader.ts'
import { continueSealer } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { plaintextSizeOf, segmentCountOf } from '../seal/sealedBlob.ts'
import { hashSealed } from '../seal/sealStream.ts'
import type { Source } from '../seal/source.ts'
import { MAX_TAGS_BYTES } from '../send/sendState.ts'
import { openReceipt } from '../verify/audit.ts'
import { AuditError, type AuditReason } from '../verify/auditError.ts'
import type { PinnedKeys } from '../verify/pinnedKeys.ts'
import { ProofError, type ProofFault } from './proofError.ts'
import type { FileProof } from './readProof.ts'

interface SignedCheck {
  /** From elsewhere, or those of the proof itself: then it is not shown whose they are. */
  readonly keys: PinnedKeys
  /** The origin that is expected of the server, if one is. */
  readonly serverId?: string | undefined
}

/** Steps 2 to 5: what the server signed. Throws `ProofError`. */
export async function checkSigned(proof: FileProof, { keys, serverId }: SignedCheck): Promise<DecodedReceipt> {
  const { receipt, file } = proof
  const signed = await opened(receipt, keys)
  if (serverId !== undefined && keys.serverId !== serverId)
    throw new ProofError('server', `it is a receipt of ${keys.serverId}, not of ${serverId}`)
  if (file?.opening !== undefined && signed.payload.blob_role !== 'original')
    throw new ProofError('receipt', 'it is the receipt of something else than a file')
  return signed
}

async function opened(receipt: FileProof['receipt'], keys: PinnedKeys): Promise<DecodedReceipt> {
  try {
    return await openReceipt({ receipt, keys, serverId: keys.serverId })
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    throw new ProofError(STEPS[error.reason] ?? 'receipt', error.finding, { cause: error })
  }
}

/** What is not here is about the signed bytes. */
const STEPS: Partial<Readonly<Record<AuditReason, ProofFault>>> = {
  unknown_key: 'key',
  key_malformed: 'key',
  key_not_active: 'key',
  outside_era: 'key',
  moves_malformed: 'key',
  wrong_server: 'server',
  reading_differs: 'members',
}

export interface FileCheck {
  readonly proof: FileProof
  /** What `checkSigned` gave for this proof. */
  readonly signed: DecodedReceipt
  /** The file. */
  readonly source: Source
  readonly environment?: Environment | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes that were sealed again so far, of `signed.payload.size`. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/**
 * Steps 6 to 9: the file, sealed again, gives exactly the signed bytes. Resolves with what its sealed header says; its
 * sender wrote that, and no server has read it. Flat memory. Throws `ProofError`, `SourceChanged`, and the reason of
 * `signal`.
 */
export async function checkFile({ proof, signed, source, ...options }: FileCheck): Promise<FileDescription> {
  const { file } = proof
  if (file?.opening === undefined) throw new ProofError('form', 'it is a receipt without an opening, so no proof')
  const prefix = fromBase64(file.opening.prefix)
  const openedPrefix = await headerOf(file.opening, prefix)
  const { header } = openedPrefix
  requireName(header, file)
  const plaintextSize = plaintextSizeIn(signed, prefix)
  if (header.size > plaintextSize)
    throw new ProofError('length', 'its header states more bytes than the signed ones can hold')
  if (file.size !== header.size || source.size !== header.size)
    throw new ProofError('length', `its header states ${header.size} bytes, and the file has ${source.size}`)
  const sealer = continueSealer({ ...openedPrefix, prefix, plaintextSize })
  const hash = await hashOf({ sealer, source, ...options })
  if (hash !== signed.payload.ciphertext_hash)
    throw new ProofError(
      'bytes',
      'sealed again, the file gives other bytes than the signed ones: the file was changed, or the opening is of another receipt',
    )
  return descriptionOf(header)
}

async function headerOf({ purpose, context, secret }: Opening, prefix: Uint8Array): Promise<OpenedPrefix> {
  const secrets = secretsOfBlob(fromBase64(secret), { purpose, contextId: fromHex(context) })
  try {
    requireWholePrefix(prefix)
    return await openPrefix(prefix, { secrets })
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause
    const isOfHeader = HEADER_FAULTS.includes(cause.reason)
    throw isOfHeader
      ? new ProofError('header', `its sealed header does not open: ${cause.message}`, { cause })
      : new ProofError('secret', `its secret is not that of its prefix: ${cause.message}`, { cause })
  }
}

const HEADER_FAULTS: readonly string[] = ['header_altered', 'header_invalid', 'padding_not_zero']

/** The name beside the receipt, never the one on the disk: a browser may have saved `contract (1).pdf`. */
function requireName({ name = '' }: Header, { folder = '', name: label }: ReceiptFile): void {
  if (name !== (folder === '' ? label : `${folder}/${label}`))
    throw new ProofError('name', 'the name beside the receipt is not that of its sealed header')
}

/** Bytes of the file and of the zeros that hide its size. */
function plaintextSizeIn({ payload }: DecodedReceipt, prefix: Uint8Array): number {
  const plaintextSize = plaintextSizeOf(payload.size, prefix.length)
  const isInBounds = plaintextSize !== undefined && (segmentCountOf(plaintextSize) + 1) * TAG_BYTES <= MAX_TAGS_BYTES
  if (!isInBounds) throw new ProofError('length', 'no sealed file with this prefix has the signed size')
  return plaintextSize
}

type HashOptions = Omit<Parameters<typeof hashSealed>[0], 'hash'> & Pick<FileCheck, 'environment'>

async function hashOf({ environment = systemEnvironment, ...options }: HashOptions): Promise<string> {
  const hash = await environment.createFileHash(options.sealer.sealedSize)
  try {
    return (await hashSealed({ ...options, hash })).ciphertextHash
  } finally {
    hash.end()
  }
}
