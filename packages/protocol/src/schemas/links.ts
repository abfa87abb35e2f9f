import { Type } from 'typebox'
import type { Static } from '../static.ts'
import { MAX_SEALED_TITLE_BYTES } from '../suites.ts'
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
  protocolVersion,
  sealedName,
  time,
} from './shape.ts'

const OPAQUE_BYTES = { min: 1, max: 4096 }

const numericCaps = {
  max_total_bytes: optional(integer('Largest sum of the bytes of all drops.')),
  max_file_count: optional(integer('Largest number of files.')),
  max_file_size: optional(integer('Largest single sealed file, in bytes.')),
}

/** Undefined is no cap. Sizes are bytes of sealed files. */
export interface NumericLinkCaps {
  readonly maxTotalBytes: number | undefined
  readonly maxFileCount: number | undefined
  readonly maxFileSize: number | undefined
}

/** The same caps under their names on the wire. */
export type LinkCapMembers = { readonly [Name in keyof typeof numericCaps]: number | null }

export function linkCapsOf(members: Partial<LinkCapMembers>): NumericLinkCaps {
  return {
    maxTotalBytes: members.max_total_bytes ?? undefined,
    maxFileCount: members.max_file_count ?? undefined,
    maxFileSize: members.max_file_size ?? undefined,
  }
}

export function linkCapMembersOf(caps: Partial<NumericLinkCaps>): LinkCapMembers {
  return {
    max_total_bytes: caps.maxTotalBytes ?? null,
    max_file_count: caps.maxFileCount ?? null,
    max_file_size: caps.maxFileSize ?? null,
  }
}

const limits = {
  expires_at: optional(
    time('When the link stops accepting drops. A past time: 422. Count a duration from the Date of an answer.'),
  ),
  ...numericCaps,
}

const sealedTitle = base64(
  'The owner’s words and questions for guests, sealed under a key that follows from the link secret.',
  { min: 1, max: MAX_SEALED_TITLE_BYTES },
)
const sealedLabel = sealedName('link')
const suite = integer('The crypto suite of drops; 1 is the only one.')

export const ProvisionLinkRequest = object('ProvisionLinkRequest', {
  opaque_id: opaqueId('128-bit id from the client’s random generator, 32 lowercase hex characters.'),
  drop_pubkey: base64('Public half of the Drop Key, opaque to the server.', OPAQUE_BYTES),
  crypto_suite_id: suite,
  ...limits,
  single_use: optional(boolean('Whether the link ends after its first landed drop. Absent means no.')),
  passphrase_verifier: optional(base64('Argon2id verifier, if the link needs a passphrase.', OPAQUE_BYTES)),
  sealed_label: optional(sealedLabel),
  sealed_title: optional(sealedTitle),
})
export type ProvisionLinkRequest = Static<typeof ProvisionLinkRequest>

export const ProvisionLinkResponse = object('ProvisionLinkResponse', { opaque_id: opaqueId('The id, echoed.') })
export type ProvisionLinkResponse = Static<typeof ProvisionLinkResponse>

const LINK_STATES = ['live', 'expired', 'spent', 'revoked'] as const
export type LinkState = (typeof LINK_STATES)[number]

/** Why a link took no file of a guest. What is full: its number of files, its bytes, the inbox, the storage. */
export const LINK_REFUSALS = [
  'too_large',
  'files_full',
  'bytes_full',
  'inbox_full',
  'quota_exceeded',
  'expired',
  'revoked',
] as const
export type LinkRefusal = (typeof LINK_REFUSALS)[number]

/** Why a guest's client holds a file back: what it can judge by `GuestLinkResponse`. */
export const HELD_BACK = ['too_large', 'too_many', 'no_room', 'inbox_full'] as const
export type HeldBack = (typeof HELD_BACK)[number]

/** Has neither size nor name nor number of files: unknown members are refused, not ignored. */
export const HeldBackRequest = object('HeldBackRequest', {
  why: oneOf(
    HELD_BACK,
    'too_large: above max_file_size. too_many: more files than remaining_files. no_room: more bytes than remaining_bytes. inbox_full: as the link said.',
  ),
})

const LinkRefusalResponse = object('LinkRefusalResponse', {
  why: oneOf(
    LINK_REFUSALS,
    'too_large: above max_file_size. files_full, bytes_full: the link’s caps. inbox_full: too many drops wait. quota_exceeded: the hard limit. expired, revoked: the link had ended.',
  ),
  count: integer(
    'How often. A guest that tries again counts again. What a guest’s client held back is counted on its word.',
    1,
  ),
})

export const LinkRefusalsResponse = object('LinkRefusalsResponse', {
  reasons: list(LinkRefusalResponse, 'Each reason once.'),
  first_at: time('When the first one was.'),
  last_at: time('When the last one was.'),
})

export const LinkEntryResponse = object('LinkEntryResponse', {
  opaque_id: opaqueId('The link.'),
  state: oneOf(LINK_STATES, 'Only a live link accepts drops.'),
  created_at: time('When it was provisioned.'),
  sealed_label: optional(sealedLabel),
  sealed_title: optional(sealedTitle),
  ...limits,
  single_use: boolean('Whether it ends after its first landed drop.'),
  passphrase_required: optional(
    boolean('Whether guests need a passphrase. Absent in answers of servers from before this member.'),
  ),
  landed_files: integer('Landed files, including discarded ones.'),
  landed_bytes: integer('Bytes of the landed files.'),
  open_sessions: integer('Open upload sessions.'),
  open_bytes: integer('Bytes that the open sessions have reserved.'),
  pending: integer('Pending drops of the link.'),
  /** Absent means none. */
  refused_drops: Type.Optional(LinkRefusalsResponse),
})

/** Absent: unchanged. Null: removed. */
export const ChangeLinkRequest = object('ChangeLinkRequest', {
  ...limits,
  sealed_label: optional(sealedLabel),
  sealed_title: optional(sealedTitle),
})
export type ChangeLinkRequest = Static<typeof ChangeLinkRequest>

export const LinksResponse = object('LinksResponse', {
  links: list(LinkEntryResponse, 'All of the caller’s links, oldest first.'),
})
export type LinksResponse = Static<typeof LinksResponse>

/** What a guest sees of a link before an upload. */
export const GuestLinkResponse = object('GuestLinkResponse', {
  opaque_id: opaqueId('The link.'),
  drop_pubkey: base64('Public half of the Drop Key. Compare it with the link’s fragment before sealing.', OPAQUE_BYTES),
  crypto_suite_id: suite,
  protocol_version: protocolVersion('The protocol version of the link.'),
  content_types: list(plainText('A content type.'), 'The content types that a drop may declare.'),
  sealed_title: optional(sealedTitle),
  passphrase_required: boolean('Whether passphrase_proof is required.'),
  max_file_size: optional(integer('Largest single sealed file, in bytes.')),
  remaining_bytes: optional(integer('Bytes that are left, rounded down to 1 % of the cap.')),
  remaining_files: optional(integer('Files that are left.')),
  inbox_full: optional(
    boolean('Whether the inbox behind the link has no place for one more file at present. Absent means no.'),
  ),
  expires_at: optional(time('When the link stops accepting drops.')),
  single_use: optional(boolean('Whether the link ends after its first landed drop. Absent means no.')),
  suggested_chunk_size: integer('The chunk size to start with, in bytes.', 1),
})
export type GuestLinkResponse = Static<typeof GuestLinkResponse>
