import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import { CreateDropResponse } from '@blindkeep/protocol/schemas/drops'
import { base64, integer, object, opaqueId, sha256, text } from '@blindkeep/protocol/schemas/shape'
import type { Static } from '@blindkeep/protocol/static'
import { KEM_CIPHERTEXT_BYTES, KEY_BYTES, SALT_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { Type } from 'typebox'
import { type LinkParts, parseLink } from '../drops/linkAddress.ts'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { readAnswer } from '../http/answer.ts'
import { passphraseSalt } from '../seal/derive.ts'
import { FileHeader } from '../seal/fileHeader.ts'
import type { SpelledPassphrase } from '../seal/passphraseSpellings.ts'
import { createSealer, type Sealer } from '../seal/seal.ts'

/** The tags of a blob of one tebibyte, the largest that servers accept, have 16 MiB. */
export const MAX_TAGS_BYTES = 32 * 1024 * 1024

/**
 * Everything that another process needs to resume an upload, besides the file: plain JSON. SECRET: `key` opens the file
 * and `passphraseProof` opens the link. Store it only where the file itself may be stored, and delete it once the drop
 * has landed.
 */
export const SendState = object('SendState', {
  version: integer('1.', 1),
  baseUrl: text('Where requests go: the server’s public URL, unless that is `serverUrl`.'),
  serverUrl: Type.Optional(text('The server’s public URL, where requests go through a program between.')),
  opaqueId: opaqueId('The link.'),
  idempotencyKey: text('A repeated creation with this key returns the same session.', { minLength: 1, maxLength: 255 }),
  uploadId: Type.Optional(CreateDropResponse.properties.upload_id),
  suggestedChunkBytes: integer('The chunk size to start with.', 1),
  size: integer('Ciphertext bytes.', 1),
  ciphertextHash: sha256('SHA-256 of the ciphertext.'),
  kemCt: base64('K encapsulated to the link’s Drop Key.', { min: KEM_CIPHERTEXT_BYTES, max: KEM_CIPHERTEXT_BYTES }),
  key: base64('K.', { min: KEY_BYTES, max: KEY_BYTES }),
  salt: base64('The blob’s salt.', { min: SALT_BYTES, max: SALT_BYTES }),
  header: FileHeader,
  tags: base64('The tags of the header and of every segment, from the hashing pass.', {
    min: 2 * TAG_BYTES,
    max: MAX_TAGS_BYTES,
  }),
  passphraseProof: Type.Optional(base64('Argon2id proof of the link’s passphrase.', { min: 1, max: 4096 })),
})
export type SendState = Static<typeof SendState>

/** Reads a stored state. Throws `RangeError` for anything else. */
export function parseSendState(json: unknown): SendState {
  const read = readAnswer(SendState, json)
  if (read.fault !== undefined) throw new RangeError(`This is not the state of an upload: ${read.fault}.`)
  if (read.value.version !== 1) throw new RangeError('A newer client began this upload.')
  return read.value
}

/** The same sealed file for a new session. Nothing is hashed again: the same key seals the same content. */
export function forNewSession(state: SendState, { randomBytes }: Environment = systemEnvironment): SendState {
  const { uploadId: _, ...kept } = state
  return { ...kept, idempotencyKey: newIdempotencyKey(randomBytes) }
}

/**
 * The same sealed file with another passphrase, for a link that refused the first one. Nothing is hashed again: the
 * passphrase is not part of the seal. `link`: that of the state. Throws `LinkError`, and `RangeError` for another link.
 */
export async function withPassphrase(
  state: SendState,
  { link, passphrase }: { readonly link: string | LinkParts; readonly passphrase: SpelledPassphrase },
  environment: Environment = systemEnvironment,
): Promise<SendState> {
  const { opaqueId, fragment } = parseLink(link)
  if (opaqueId !== state.opaqueId) throw new RangeError('This is not the link of the upload.')
  const salt = passphraseSalt(fromHex(opaqueId), fragment.linkSecret)
  const proof = await environment.passphraseProof(passphrase, salt)
  return { ...forNewSession(state, environment), passphraseProof: toBase64(proof) }
}

/** 128 random bits, printable. */
export function newIdempotencyKey(randomBytes: Environment['randomBytes']): string {
  return toBase64(randomBytes(16))
}

export function uploadIdOf(state: SendState): UploadId | undefined {
  return state.uploadId === undefined ? undefined : parseUploadId(state.uploadId)
}

/** The sealer that reproduces the bytes of the hashing pass. */
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
