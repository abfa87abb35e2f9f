import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import { CreateDropResponse } from '@blindkeep/protocol/schemas/drops'
import { base64, integer, object, opaqueId, sha256, text } from '@blindkeep/protocol/schemas/shape'
import { KEM_CIPHERTEXT_BYTES, KEY_BYTES, SALT_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { type Static, Type } from 'typebox'
import { type Environment, systemEnvironment } from '../environment.ts'
import { readAnswer } from '../http/answer.ts'
import { FileHeader } from '../seal/fileHeader.ts'
import { createSealer, type Sealer } from '../seal/seal.ts'

/** Tags of a blob of one tebibyte, the largest that servers take, are 16 MiB. */
export const MAX_TAGS_BYTES = 32 * 1024 * 1024

/**
 * All that a fresh process needs to go on with an upload, besides the file: plain JSON.
 * It is SECRET: `key` opens the file and `passphraseProof` passes the link's gate. Keep it only where the file itself may lie, and drop it once the drop has landed.
 */
export const SendState = object('SendState', {
  version: integer('1.', 1),
  baseUrl: text('The server’s public URL.'),
  opaqueId: opaqueId('The link.'),
  idempotencyKey: text('Makes a repeated creation answer with the same session.', { minLength: 1, maxLength: 255 }),
  uploadId: Type.Optional(CreateDropResponse.properties.upload_id),
  suggestedChunkBytes: integer('The chunk size to start with.', 1),
  size: integer('Ciphertext bytes.', 1),
  ciphertextHash: sha256('SHA-256 of the ciphertext.'),
  kemCt: base64('K encapsulated to the link’s Drop Key.', { min: KEM_CIPHERTEXT_BYTES, max: KEM_CIPHERTEXT_BYTES }),
  key: base64('K.', { min: KEY_BYTES, max: KEY_BYTES }),
  salt: base64('The blob’s salt.', { min: SALT_BYTES, max: SALT_BYTES }),
  header: FileHeader,
  tags: base64('The tag of the header and of every segment, as the hashing pass found them.', {
    min: 2 * TAG_BYTES,
    max: MAX_TAGS_BYTES,
  }),
  passphraseProof: Type.Optional(base64('Argon2id proof of the link’s passphrase.', { min: 1, max: 4096 })),
})
export type SendState = Static<typeof SendState>

/** Reads a state that was kept as JSON. Throws `RangeError` for what is none. */
export function parseSendState(json: unknown): SendState {
  const read = readAnswer(SendState, json)
  if (read.fault !== undefined) throw new RangeError(`This is no state of an upload: ${read.fault}.`)
  if (read.value.version !== 1) throw new RangeError('This upload was begun by a newer client.')
  return read.value
}

/** The same sealed file for a new session: nothing is hashed again, as the same key seals the same content. */
export function startAnew(state: SendState, { randomBytes }: Environment = systemEnvironment): SendState {
  const { uploadId: _, ...kept } = state
  return { ...kept, idempotencyKey: newIdempotencyKey(randomBytes) }
}

/** The same sealed file under another passphrase, for a link that refused the first: the passphrase is no part of the seal, so nothing is hashed again. */
export async function withPassphrase(
  state: SendState,
  passphrase: string,
  environment: Environment = systemEnvironment,
): Promise<SendState> {
  const proof = await environment.passphraseProof(passphrase, fromHex(state.opaqueId))
  return { ...startAnew(state, environment), passphraseProof: toBase64(proof) }
}

/** 128 bits, printable. */
export function newIdempotencyKey(randomBytes: Environment['randomBytes']): string {
  return toBase64(randomBytes(16))
}

export function uploadIdOf(state: SendState): UploadId | undefined {
  return state.uploadId === undefined ? undefined : parseUploadId(state.uploadId)
}

/** The sealer that gives the very bytes of the hashing pass. */
export function sealerOf(state: SendState): Promise<Sealer> {
  return createSealer({
    key: fromBase64(state.key),
    purpose: 'original',
    contextId: fromHex(state.opaqueId),
    header: state.header,
    kemCt: fromBase64(state.kemCt),
    salt: fromBase64(state.salt),
  })
}
