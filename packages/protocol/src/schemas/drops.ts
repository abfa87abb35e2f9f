import type { DropId, UploadId } from '../ids.ts'
import type { Static } from '../static.ts'
import { KEM_CIPHERTEXT_BYTES } from '../suites.ts'
import {
  base64,
  boolean,
  integer,
  list,
  object,
  oneOf,
  opaqueId,
  optional,
  plainText,
  sha256,
  text,
  time,
  uuid,
} from './shape.ts'

const kemCt = base64('Key K encapsulated to the link’s Drop Key.', {
  min: KEM_CIPHERTEXT_BYTES,
  max: KEM_CIPHERTEXT_BYTES,
})
const contentType = text('Declared content type, one of the link’s content_types.')
const fileName = text(
  'A name from the guest, unverified, for display only. Blindkeep’s clients leave it out: the true name is sealed.',
  {
    minLength: 1,
    maxLength: 255,
  },
)

/** Has no album_id, amk_version, manifest or provenance: unknown members are refused, not ignored. */
export const CreateDropRequest = object('CreateDropRequest', {
  content_type: contentType,
  size: integer('Size of the ciphertext in bytes.', 1),
  ciphertext_hash: sha256('SHA-256 of the ciphertext, which the server checks at the end.'),
  kem_ct: kemCt,
  passphrase_proof: optional(
    base64('Argon2id proof. Required if and only if the link has a verifier.', { min: 1, max: 4096 }),
  ),
  suggested_filename: optional(fileName),
})
export type CreateDropRequest = Static<typeof CreateDropRequest>

export const CreateDropResponse = object('CreateDropResponse', {
  upload_id: uuid<UploadId>('The session, the last path segment of the chunk endpoint.'),
  suggested_chunk_size: integer('The chunk size to start with, in bytes.', 1),
})
export type CreateDropResponse = Static<typeof CreateDropResponse>

/** Why the server does not hand out the bytes of a pending drop. */
export const Withheld = oneOf(
  ['damaged', 'held'],
  'Absent if the content can be downloaded, as far as the server knows. damaged: bytes were found wrong, missing or unreadable, and not right since. held: the operator withholds them.',
)
export type Withheld = Static<typeof Withheld>

export const InboxEntryResponse = object('InboxEntryResponse', {
  drop_id: uuid<DropId>('The drop.'),
  opaque_id: opaqueId('The link of the drop.'),
  ciphertext_hash: sha256('Content address of the ciphertext.'),
  size: integer('Ciphertext bytes.', 1),
  content_type: plainText('Declared content type, one of the link’s content_types.'),
  kem_ct: kemCt,
  suggested_filename: optional(fileName),
  received_at: time('When the drop landed.'),
  adopting: boolean('Whether an adoption has claimed the drop.'),
  withheld: optional(Withheld),
})
export type InboxEntryResponse = Static<typeof InboxEntryResponse>

export const InboxResponse = object('InboxResponse', {
  drops: list(InboxEntryResponse, 'Pending drops, oldest first unless the request says otherwise.'),
})
export type InboxResponse = Static<typeof InboxResponse>
