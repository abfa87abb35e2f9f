/** The guest's side of an upload link: open it, read its limits, prepare files and send them. */
import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import type { Instant } from '@blindkeep/protocol/ids'
import type { GuestLinkResponse } from '@blindkeep/protocol/schemas/links'
import { isKnownSuite } from '@blindkeep/protocol/suites'
import { createDropKey, type DropSeal } from './drops/dropKeys.ts'
import { fragmentMatches } from './drops/fragment.ts'
import { createNoteHeldBack, type NoteHeldBack } from './drops/heldBack.ts'
import { type LinkAddress, type LinkParts, parseLink } from './drops/linkAddress.ts'
import { LinkError } from './drops/linkError.ts'
import { type LinkTitle, openGivenTitle } from './drops/linkTitle.ts'
import { type Environment, systemEnvironment } from './ground/environment.ts'
import { addressOf } from './http/baseUrl.ts'
import { createCalls } from './http/call.ts'
import { AnswerError } from './http/errors.ts'
import { requireOwnName } from './http/ownAddress.ts'
import type { Batch } from './seal/batch.ts'
import { passphraseSalt } from './seal/derive.ts'
import { type FileFacts, headerOf } from './seal/fileHeader.ts'
import { KemError } from './seal/kem.ts'
import type { SpelledPassphrase } from './seal/passphraseSpellings.ts'
import { createSealer } from './seal/seal.ts'
import { largestPlaintext } from './seal/sizes.ts'
import type { Source } from './seal/source.ts'
import { hashFile } from './send/hashFile.ts'
import type { SendProgress } from './send/sendBlob.ts'
import { SendError } from './send/sendError.ts'
import { newIdempotencyKey, type SendState } from './send/sendState.ts'

export { type LinkParts, parseLink } from './drops/linkAddress.ts'
export { type Batch, batchOf, newBatchId } from './seal/batch.ts'
export type { FileFacts } from './seal/fileHeader.ts'
export { normalPassphrase, passphraseSpellings, type SpelledPassphrase } from './seal/passphraseSpellings.ts'
export { requireSamePlaintext } from './send/samePlaintext.ts'
export {
  askSend,
  cancelSend,
  type Landed,
  type SendOptions,
  type SendProgress,
  type SendStatus,
  send,
} from './send/send.ts'
export { forNewSession, parseSendState, type SendState, withPassphrase } from './send/sendState.ts'
export { createSendTurns, type SendTurns } from './send/sendTurns.ts'

/** The limits of a link, known before a byte is sent. All sizes in bytes. */
export interface LinkLimits {
  /** Size of the largest sealed file. */
  readonly sealedBytesMax: number | undefined
  /** Sealed bytes that the link still accepts, rounded down. */
  readonly remainingBytes: number | undefined
  /** At most 1 if the link is `singleUse`. */
  readonly remainingFiles: number | undefined
  /** The inbox behind the link has no place for one more file at present. */
  readonly inboxFull: boolean
  /** The link takes one file: it ends with the first that lands. */
  readonly singleUse: boolean
  /** The largest file that certainly fits with a usual name and note. Undefined without a limit, 0 for a full link. */
  readonly fileBytesMax: number | undefined
  /** RFC 3339. */
  readonly expiresAt: string | undefined
  readonly passphraseRequired: boolean
}

export interface PrepareOptions extends FileFacts {
  readonly source: Source
  /** The go that the file belongs to. */
  readonly batch?: Batch | undefined
  /** As `normalPassphrase` spells it; it never leaves this process. Old links may need `passphraseSpellings`. */
  readonly passphrase?: SpelledPassphrase | undefined
  readonly onProgress?: ((progress: SendProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** With the owner's words, if there are any. No one has checked what the owner says to be called. */
export interface UploadLink extends LinkTitle {
  readonly baseUrl: string
  readonly limits: LinkLimits
  /** What time it is at the server, by whose clock the link expires. */
  now(): Instant
  /**
   * Seals the file once for its hash and tags, and returns the state that `send` needs. Sends nothing of it. Reads the
   * whole file with flat memory. Does not compare `fields` with the questions (`answerFault`). Throws `SendError` for a
   * file that is too large (and notes it) or changes meanwhile, and for a missing passphrase, and `RangeError` for
   * answers that do not fit.
   */
  prepare(options: PrepareOptions): Promise<SendState>
  /** The owner hears that files were held back because of `why`: call it for `misfitsOf`, as often as you like. */
  readonly noteHeldBack: NoteHeldBack
}

/**
 * Asks the server about a link. Compares its name with the address, and its drop key with the fragment of the link.
 * Throws `AddressError`, `LinkError`, and what a call throws: `error.drop.link_not_found` for every link that accepts
 * no files.
 */
export async function openLink(
  link: string | LinkParts,
  environment: Environment = systemEnvironment,
): Promise<UploadLink> {
  const address = parseLink(link)
  const calls = createCalls({ ...addressOf(address), fetch: environment.fetch, now: environment.now })
  await requireOwnName(calls, 'link')
  const { body } = await calls.call('guestLink', { path: { opaque_id: address.opaqueId } })
  if (body.opaque_id !== address.opaqueId) throw new AnswerError('guestLink', 'it is about another link')
  const noteHeldBack = createNoteHeldBack(calls, address.opaqueId)
  const opened = { address, answer: body, dropPublicKey: fromBase64(body.drop_pubkey), noteHeldBack }
  requireOwnersKey(opened)
  const { fault, ...words } = await openGivenTitle(
    () => ({ linkSecret: address.fragment.linkSecret, opaqueId: fromHex(address.opaqueId) }),
    body.sealed_title,
  )
  // With a mistyped link secret, the owner could open nothing of what is sent.
  if (fault !== undefined) throw new LinkError('words_altered')
  return {
    baseUrl: address.baseUrl,
    limits: limitsOf(body),
    now: calls.clock.now,
    ...words,
    noteHeldBack,
    prepare: (options) => {
      // An empty list says that the guest saw the questions.
      const fields = options.fields ?? (words.questions && [])
      return prepare(opened, { ...options, fields }, environment)
    },
  }
}

interface OpenedLink {
  readonly address: LinkAddress
  readonly answer: GuestLinkResponse
  readonly dropPublicKey: Uint8Array
  readonly noteHeldBack: NoteHeldBack
}

function requireOwnersKey({ address, answer, dropPublicKey }: OpenedLink): void {
  if (!isKnownSuite(answer.crypto_suite_id)) throw new LinkError('suite_unknown')
  const linkKey = { suiteId: answer.crypto_suite_id, opaqueId: fromHex(address.opaqueId), dropPublicKey }
  if (!fragmentMatches(address.fragment, linkKey)) throw new LinkError('key_swapped')
}

function limitsOf(answer: GuestLinkResponse): LinkLimits {
  const sealedBytesMax = answer.max_file_size ?? undefined
  const remainingBytes = answer.remaining_bytes ?? undefined
  const sealedBytes = Math.min(sealedBytesMax ?? Infinity, remainingBytes ?? Infinity)
  const singleUse = answer.single_use === true
  const remainingFiles = Math.min(answer.remaining_files ?? Infinity, singleUse ? 1 : Infinity)
  return {
    sealedBytesMax,
    remainingBytes,
    remainingFiles: remainingFiles === Infinity ? undefined : remainingFiles,
    inboxFull: answer.inbox_full === true,
    singleUse,
    fileBytesMax: sealedBytes === Infinity ? undefined : (largestPlaintext(sealedBytes) ?? 0),
    expiresAt: answer.expires_at ?? undefined,
    passphraseRequired: answer.passphrase_required,
  }
}

async function prepare(link: OpenedLink, options: PrepareOptions, environment: Environment): Promise<SendState> {
  const { address, answer } = link
  const { passphrase } = options
  const opaqueIdBytes = fromHex(address.opaqueId)
  if (answer.passphrase_required && passphrase === undefined) throw new SendError('passphrase_refused')
  const { key, kemCt } = newDropKey(link)
  const header = headerOf(options.source.size, options, options.batch)
  const sealer = await createSealer({ key, purpose: 'original', contextId: opaqueIdBytes, header, kemCt })
  if (sealer.sealedSize > (answer.max_file_size ?? Infinity)) {
    void link.noteHeldBack('too_large')
    throw new SendError('too_large')
  }
  const proof =
    answer.passphrase_required && passphrase !== undefined
      ? await environment.passphraseProof(passphrase, passphraseSalt(opaqueIdBytes, address.fragment.linkSecret))
      : undefined
  const record = await hashFile({ ...options, sealer, environment })
  return {
    version: 1,
    baseUrl: address.baseUrl,
    ...(address.serverUrl !== undefined && { serverUrl: address.serverUrl }),
    opaqueId: address.opaqueId,
    idempotencyKey: newIdempotencyKey(environment.randomBytes),
    suggestedChunkBytes: answer.suggested_chunk_size,
    size: record.size,
    ciphertextHash: record.ciphertextHash,
    kemCt: toBase64(kemCt),
    key: toBase64(key),
    salt: toBase64(sealer.salt),
    header,
    tags: toBase64(record.tags),
    ...(proof === undefined ? {} : { passphraseProof: toBase64(proof) }),
  }
}

function newDropKey({ address, answer, dropPublicKey }: OpenedLink): DropSeal {
  const { fragment, opaqueId } = address
  try {
    return createDropKey({ fragment, suiteId: answer.crypto_suite_id, opaqueId: fromHex(opaqueId), dropPublicKey })
  } catch (cause) {
    // The fragment confirmed the key, so the owner's own link has an invalid one.
    if (cause instanceof KemError) throw new LinkError('malformed', { cause })
    throw cause
  }
}
