import { type Static, Type } from 'typebox'
import { base64, list, object, opaqueId, optional, sha256, time } from './shape.ts'

/** Bytes of the sealed index, which is one blob of a single data segment. */
export const MAX_SHARE_INDEX_BYTES = 512 * 1024
export const MAX_SHARE_BLOBS = 10_000

const sealedIndex = base64(
  'What the share shows and the keys to it, sealed under a key that its address alone carries.',
  {
    min: 1,
    max: MAX_SHARE_INDEX_BYTES,
  },
)

export const CreateShareRequest = object('CreateShareRequest', {
  opaque_id: opaqueId('128-bit id from the client’s random generator, 32 lowercase hex characters.'),
  sealed_index: sealedIndex,
  blob_hashes: Type.Array(sha256('A content address.'), {
    minItems: 1,
    maxItems: MAX_SHARE_BLOBS,
    description:
      'Every blob that the share gives, as long as a live asset of the caller’s holds it. One that none holds is accepted, and is not found.',
  }),
  expires_at: optional(time('When it stops showing anything; absent means never.')),
})
export type CreateShareRequest = Static<typeof CreateShareRequest>

export const CreateShareResponse = object('CreateShareResponse', { opaque_id: opaqueId('The id, echoed.') })
export type CreateShareResponse = Static<typeof CreateShareResponse>

export const ShareEntryResponse = object('ShareEntryResponse', {
  opaque_id: opaqueId('The share.'),
  created_at: time('When it was made.'),
  expires_at: optional(time('When it stops showing anything. It is listed for 30 days more.')),
})

export const SharesResponse = object('SharesResponse', {
  shares: list(ShareEntryResponse, 'All of the caller’s shares that were not deleted, oldest first.'),
})
export type SharesResponse = Static<typeof SharesResponse>

/** What somebody with the address reads first. */
export const ShareResponse = object('ShareResponse', {
  sealed_index: sealedIndex,
  blob_hashes: list(sha256('A content address.'), 'What the share was given, whether or not it is held any more.'),
})
export type ShareResponse = Static<typeof ShareResponse>
