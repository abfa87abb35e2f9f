import { Type } from 'typebox'
import type { Static } from '../static.ts'
import { MAX_SHARE_DOWNLOADS } from '../suites.ts'
import { base64, boolean, integer, list, object, opaqueId, optional, sealedName, sha256, time } from './shape.ts'

/** Bytes of the sealed index, a blob with a single data segment. */
export const MAX_SHARE_INDEX_BYTES = 512 * 1024
export const MAX_SHARE_BLOBS = 10_000

const sealedIndex = (what = 'The files of the share and their keys') =>
  base64(`${what}, sealed under a key that is only in the address of the share.`, {
    min: 1,
    max: MAX_SHARE_INDEX_BYTES,
  })

const sealedRecord = (more = '') =>
  base64(`What the owner keeps of the share: its key and a summary of its files, sealed by the client.${more}`, {
    min: 1,
    max: 4096,
  })

const maxDownloads = (more: string) =>
  optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_SHARE_DOWNLOADS,
      description: `How many visits may download: a visit takes one, whatever it downloads. Absent: any number. ${more}`,
    }),
  )

/** For the owner alone: a client that opens the share does not get them. */
const notes = { sealed_name: optional(sealedName('share')), sealed_record: optional(sealedRecord()) }

export const CreateShareRequest = object('CreateShareRequest', {
  opaque_id: opaqueId('128-bit id from the client’s random generator, 32 lowercase hex characters.'),
  sealed_index: sealedIndex(),
  blob_hashes: Type.Array(sha256('A content address.'), {
    minItems: 1,
    maxItems: MAX_SHARE_BLOBS,
    description:
      'The blobs of the share. Each can be read while an asset of the caller has it; others are accepted and answer 404.',
  }),
  expires_at: optional(
    time('When the share expires. Absent means never. A past time: 422. Count a duration from the Date of an answer.'),
  ),
  passphrase_verifier: optional(
    base64('What the proof of the passphrase has to be, if the share needs one.', { min: 1, max: 4096 }),
  ),
  max_downloads: maxDownloads('A server from before this member refuses it.'),
  ...notes,
})
export type CreateShareRequest = Static<typeof CreateShareRequest>

/** How sealed_index, blob_hashes, sealed_record and prior_index_hash are given. */
const TOGETHER = 'These four come together, and none is null.'

/** Absent: unchanged. Null: removed. */
export const ChangeShareRequest = object('ChangeShareRequest', {
  sealed_name: notes.sealed_name,
  max_downloads: maxDownloads('Null removes it.'),
  sealed_index: optional(sealedIndex('What the share shows from now on: its files and their keys')),
  blob_hashes: optional(
    Type.Array(sha256('A content address.'), {
      maxItems: MAX_SHARE_BLOBS,
      description: 'The blobs of the share from now on, none if the index has no file.',
    }),
  ),
  sealed_record: optional(sealedRecord(' Of these contents.')),
  prior_index_hash: optional(sha256(`SHA-256 of the sealed_index that is replaced. ${TOGETHER}`)),
})
export type ChangeShareRequest = Static<typeof ChangeShareRequest>

export const CreateShareResponse = object('CreateShareResponse', { opaque_id: opaqueId('The id, echoed.') })
export type CreateShareResponse = Static<typeof CreateShareResponse>

export const ShareEntryResponse = object('ShareEntryResponse', {
  opaque_id: opaqueId('The share.'),
  created_at: time('When it was created.'),
  expires_at: optional(time('When the share expires. It stays in the list for 30 more days.')),
  passphrase_required: optional(
    boolean('Whether receivers need a passphrase. Absent in answers of servers from before this member.'),
  ),
  opened: optional(integer('How many visits have read the share. This and the next three: absent in older answers.')),
  downloaded: optional(integer('How many visits have read bytes of a file, not all of them perhaps.')),
  last_at: optional(time('When the last of these visits began.')),
  max_downloads: maxDownloads('At as many as downloaded, none is left.'),
  ...notes,
})

export type ShareEntryResponse = Static<typeof ShareEntryResponse>

export const SharesResponse = object('SharesResponse', {
  shares: list(ShareEntryResponse, 'All of the caller’s shares that were not deleted, oldest first.'),
})
export type SharesResponse = Static<typeof SharesResponse>

/** What a client with the address reads first. */
export const ShareResponse = object('ShareResponse', {
  sealed_index: sealedIndex(),
  blob_hashes: list(
    sha256('A content address.'),
    'The blobs of the share, including those that no asset has any more.',
  ),
})
export type ShareResponse = Static<typeof ShareResponse>
