import type { AccountId, Instant, OpaqueId, ProtocolVersion, UploadId } from '@blindkeep/protocol/ids'
import type { LinkRefusal } from '@blindkeep/protocol/schemas/links'
import {
  counter,
  flag,
  given,
  inner,
  later,
  laterJson,
  made,
  type New,
  optional,
  type Row,
  sequence,
} from '../columns.ts'

export const links = {
  /** The order in which they were created. */
  linkSeq: sequence(),
  opaqueId: given<OpaqueId>(),
  accountId: given<AccountId>(),
  dropPublicKey: given<Uint8Array>(),
  suiteId: given<number>(),
  protocolVersion: given<ProtocolVersion>(),
  /** SHA-256 of the verifier: what is stored cannot be sent as a proof. */
  verifierHash: optional<Uint8Array>(),
  sealedLabel: optional<Uint8Array>(),
  /** For guests, who have the link's secret. */
  sealedTitle: optional<Uint8Array>(),
  maxFileCount: optional<number>(),
  maxFileSize: optional<number>(),
  maxTotalBytes: optional<number>(),
  createdAt: given<Instant>(),
  expiresAt: optional<Instant>(),
  singleUse: flag(),
  revokedAt: later<Instant>(),
  /** When the first drop of a single-use link landed. */
  spentAt: later<Instant>(),
  /** The finishing session of a single-use link: only this session may land. */
  claimedBy: later<UploadId>(),
  landedFiles: counter(),
  landedBytes: counter(),
  openSessions: counter(),
  openBytes: counter(),
  refusals: laterJson<LinkRefusals>(),
  /** It has ended and is in no list any more: the row keeps the id and what `fsck` counts. */
  isBuried: inner(made<0 | 1>()),
}

/** What guests could not send (`linkRefusals.ts`). */
export interface LinkRefusals {
  /** Empty after the owner has dismissed them. */
  readonly counts: Readonly<Partial<Record<LinkRefusal, number>>>
  /** If dismissed: when. */
  readonly firstAt: Instant
  readonly lastAt: Instant
  /** When refusals were last written. */
  readonly notedAt: Instant
}

export type LinkRow = Row<typeof links>
export type NewLink = New<typeof links>

/** Sealed for people. */
const TEXTS = ['sealedLabel', 'sealedTitle'] as const satisfies readonly (keyof LinkRow)[]
export type LinkTexts = Pick<LinkRow, (typeof TEXTS)[number]>

/** Columns that no rule needs. */
export const UNRULED = [...TEXTS, 'refusals'] as const satisfies readonly (keyof LinkRow)[]

export type Link = Omit<LinkRow, (typeof UNRULED)[number]>

export type LinkCaps = Pick<Link, 'maxFileCount' | 'maxFileSize' | 'maxTotalBytes' | 'expiresAt' | 'singleUse'>

/** What the owner may change later. */
export type LinkTerms = Omit<LinkCaps, 'singleUse'> & LinkTexts

/** How far the link has been used. */
export type LinkUse = Omit<Link, keyof NewLink>
