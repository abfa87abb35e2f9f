import { type AccountId, type DropId, formatInstant, type Instant } from '@blindkeep/protocol/ids'

const RESTORE_BACKUP = 'restore the newest backup that is whole.'
const ROWS_CHANGED = `Rows were changed or lost, and not by the server: ${RESTORE_BACKUP}`
const LOG_CHANGED = `The log was changed or damaged: ${RESTORE_BACKUP}`
const RECOUNT = '`blindkeep-server fsck --repair` sets it to the sum of the rows.'
const SEND_AGAIN = 'The sender has to cancel the session and send the file again.'
const PUT_FILE_BACK =
  '`blindkeep-server fsck --deep --repair-from BACKUP` brings it back from a backup that has it. Until then storage verification does not report it as retrievable.'

/** What the operator does about each kind of finding. */
export const REMEDIES = {
  database_damaged:
    'Stop the server and keep a copy of the database as it is. Restore the newest backup (`blindkeep-server restore`), or let SQLite’s `.recover` write the readable rows into a new database.',
  schema_changed:
    'Blindkeep did not make it, and it decides what the server stores. Find out who did: if you added it yourself, remove it again; otherwise restore a backup from before that.',
  use_wrong: RECOUNT,
  pending_drops_wrong: RECOUNT,
  changes_wrong: `Clients of this account may miss a change. ${ROWS_CHANGED}`,
  account_deletion_wrong: `A deleted account keeps personal data, or holds something after it was emptied. ${ROWS_CHANGED}`,
  account_deletion_stuck:
    'Start the server, which frees what the deleted account holds. If it cannot, its log says why.',
  share_wrong: `Their addresses answer 404: their owner has to make other shares. ${ROWS_CHANGED}`,
  link_open_wrong: RECOUNT,
  link_landed_wrong:
    'The link’s caps count wrongly. Nothing is lost. Revoke the link and make another if its caps matter.',
  link_caps_exceeded: 'The link has taken more than its caps allow. Revoke it if that is not wanted.',
  link_spent_wrong: 'A single-use link and its landed files disagree: revoke the link.',
  link_claim_wrong: 'With this claim, no session of the single-use link can land: revoke the link and make another.',
  link_open_after_end: 'Start the server, whose sweeper ends idle sessions, and run fsck again a day later.',
  session_wrong: SEND_AGAIN,
  session_receipts_wrong: ROWS_CHANGED,
  session_object_wrong: SEND_AGAIN,
  session_stuck: 'The server has run since and has not finished the session: its log says why.',
  drop_wrong: ROWS_CHANGED,
  drop_receipt_wrong: ROWS_CHANGED,
  drop_claim_stuck:
    'Until then the owner cannot adopt or discard the drop. `blindkeep-server fsck --repair` releases the claim.',
  asset_wrong: ROWS_CHANGED,
  blob_wrong: ROWS_CHANGED,
  blob_receipt_wrong: ROWS_CHANGED,
  blob_retained_long:
    'Nothing is damaged. It was accepted when RETENTION_MAX_DAYS was higher or did not exist, and until that time neither the file nor its account can be deleted.',
  bin_wrong: ROWS_CHANGED,
  object_wrong: ROWS_CHANGED,
  parts_wrong: ROWS_CHANGED,
  object_time_wrong:
    'Until that time the server neither checks the object nor removes it; nothing is lost. Set the clock of the machine right if it is ahead. If it is right, rows were changed, and not by the server.',
  object_damaged: `${PUT_FILE_BACK} If the bytes are right by now, \`blindkeep-server fsck --deep --repair\` removes the mark.`,
  object_intact: '`blindkeep-server fsck --repair` (`--deep --repair` if it was damaged) makes it available again.',
  file_missing: PUT_FILE_BACK,
  file_size_wrong: PUT_FILE_BACK,
  file_unreadable: `The disk fails: copy the readable files to another one. ${PUT_FILE_BACK} \`blindkeep-server fsck --repair\` withholds it, so that storage verification does not report it as retrievable.`,
  file_forbidden:
    'Nothing is lost as long as the file is there: do that, then run `blindkeep-server fsck --deep` again.',
  file_stray:
    'No row names the file, so no client can reach it. You may remove it by hand, unless the database was restored from an older backup.',
  file_unlisted: `Keep the file. ${ROWS_CHANGED}`,
  fact_wrong: ROWS_CHANGED,
  bytes_wrong: `${PUT_FILE_BACK} \`blindkeep-server fsck --deep --repair\` marks it as damaged.`,
  chunk_wrong: SEND_AGAIN,
  key_wrong: `The attestation keys were changed, and not by the server: ${RESTORE_BACKUP}`,
  key_change_wrong: `The attestation keys, their statements or the server’s name were changed, and not by the server: ${RESTORE_BACKUP}`,
  address_wrong:
    'Nothing is lost; requests at an address that is missing there are refused. `blindkeep-server fsck --repair` mends it.',
  receipt_unreadable: LOG_CHANGED,
  receipt_hash_wrong: LOG_CHANGED,
  receipt_columns_wrong: LOG_CHANGED,
  receipt_chain_broken: `A receipt was removed, moved or changed: ${RESTORE_BACKUP}`,
  receipt_time_wrong: LOG_CHANGED,
  receipt_key_wrong: `The log or its keys were changed: ${RESTORE_BACKUP}`,
  receipt_signature_wrong: LOG_CHANGED,
  receipt_server_wrong: `The log was changed, or belongs to another server: ${RESTORE_BACKUP}`,
  receipt_subject_wrong: `The server does not keep what the receipt attests: ${RESTORE_BACKUP}`,
  log_head_wrong: `The end of the log was removed or changed: ${RESTORE_BACKUP}`,
} as const

export type FindingKind = keyof typeof REMEDIES

/** Of the bytes of an object, at the location in `where`. */
export const OF_BYTES: ReadonlySet<FindingKind> = new Set([
  'object_damaged',
  'file_missing',
  'file_size_wrong',
  'file_unreadable',
  'bytes_wrong',
])

/** What one conditional write can correct safely. */
export type Repair =
  | { readonly repair: 'recount_use'; readonly accountId: AccountId }
  | { readonly repair: 'recount_open'; readonly accountId: AccountId; readonly linkSeq: number }
  | {
      readonly repair: 'release_claim'
      readonly accountId: AccountId
      readonly dropId: DropId
      readonly claimId: string
    }
  | { readonly repair: 'mark_damaged' | 'mark_unreadable'; readonly location: string }
  /** `readAt`: when the reading began that found right bytes. */
  | { readonly repair: 'unmark_damaged'; readonly location: string; readonly size: number; readonly readAt: Instant }
  | { readonly repair: 'forget_public_url' }
  | { readonly repair: 'complete_former_urls' }

export interface Finding {
  readonly kind: FindingKind
  /** The ids of the row or the file. Never an id that is a credential. */
  readonly where: Where
  /** What is wrong, for people. */
  readonly what: string
  /** Undefined when only the operator can act, as `REMEDIES` says. */
  readonly repair: Repair | undefined
}

export type Where = Readonly<Record<string, string | number>>

export function createFinding(kind: FindingKind, where: Where, what: string, repair?: Repair): Finding {
  return { kind, where, what, repair }
}

export type Rules = readonly (readonly [
  isBroken: boolean,
  kind: FindingKind,
  what: string,
  repair?: Repair | undefined,
])[]

/** A finding for each broken rule. */
export function findBroken(where: Where, rules: Rules): readonly Finding[] {
  return rules
    .filter(([isBroken]) => isBroken)
    .map(([, kind, what, repair]) => createFinding(kind, where, what, repair))
}

/** One line for people. */
export function formatFinding({ kind, where, what }: Finding): string {
  const place = Object.entries(where).map(([name, value]) => `${name} ${value}`)
  return `${kind}: ${[...place, what].join(', ')}`
}

const LAST_MS = 8_640_000_000_000_000

/** Takes also a number that is no instant (ECMA-262, Time Values), as a damaged row may hold one. */
export function instantText(at: Instant): string {
  return Math.abs(at) <= LAST_MS ? formatInstant(at) : `${at} ms`
}
