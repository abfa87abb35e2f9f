import { Type } from 'typebox'
import { OPAQUE_ID_PATTERN } from '../ids.ts'
import type { Static } from '../static.ts'
import { BLOB_SECRET_BYTES } from '../suites.ts'
import { SERVICE } from '../wire.ts'
import { base64, integer, object, oneOf, text } from './shape.ts'

/** Format 1 with the smallest header block, and a drop with 64 of them. */
const PREFIX_BYTES = { min: 50 + 1024 + 16, max: 1170 + 64 * 1024 + 16 } as const

export const OPENING_VERSION = `${SERVICE}/opening/1` as const

/** A receipt with its opening, as JSON. The largest opening has 89 KB. */
export const MAX_PROOF_BYTES = 192 * 1024
/** Proofs in one file, as JSON Lines. */
export const MAX_PROOF_LINES = 10_000

/**
 * What a saved receipt gets, so that a person who has the file sees that the signed sealed bytes are this file. SECRET:
 * with the sealed bytes it opens this file, and nothing else.
 */
export const Opening = object('Opening', {
  version: oneOf([OPENING_VERSION], 'The format.'),
  purpose: oneOf(['original'], 'Of the sealed blob.'),
  context: Type.String({
    pattern: OPAQUE_ID_PATTERN,
    description: 'Of the sealed blob: the opaque_id of the link, or the file_id without hyphens.',
  }),
  secret: base64('HKDF-Extract with SHA-512 of the key K and the salt of the blob.', {
    min: BLOB_SECRET_BYTES,
    max: BLOB_SECRET_BYTES,
  }),
  prefix: base64('All bytes of the sealed blob before its data segments.', PREFIX_BYTES),
})
export type Opening = Static<typeof Opening>

/** What a saved receipt says about the file, for people; nothing of it is signed. */
export const ReceiptFile = object('ReceiptFile', {
  name: text('Its name.'),
  folder: Type.Optional(text('The folders before its name, with `/` between them; empty if there are none.')),
  size: integer('Bytes.'),
  opening: Type.Optional(Opening),
})
export type ReceiptFile = Static<typeof ReceiptFile>
