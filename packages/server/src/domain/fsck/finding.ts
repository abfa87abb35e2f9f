import { type AccountId, type DropId, formatInstant, type Instant } from '@blindkeep/protocol/ids'

/** Every kind of thing that can be wrong, and what to do about it. */
export const TODO = {
  database_damaged:
    'Stop the server and keep a copy of the database as it is. Restore the newest backup (`blindkeep-server restore`), or let SQLite’s `.recover` write what it still can read into a new database.',
  use_wrong: '`fsck --repair` sets it to what the rows say.',
  pending_drops_wrong: '`fsck --repair` sets it to what the rows say.',
  changes_wrong:
    'Clients of this account may miss a change. Rows were changed by something other than the server: restore the newest backup that is whole.',
  account_deletion_wrong:
    'An account that its owner deleted keeps something of its person, or holds something after it was emptied. Rows were changed by something other than the server: restore the newest backup that is whole.',
  account_deletion_stuck:
    'Start the server, which lets go of what the deleted account held; its log says why when it cannot.',
  link_open_wrong: '`fsck --repair` sets it to what the rows say.',
  link_landed_wrong:
    'The link’s caps count wrongly. Nothing is lost; revoke the link and make another if its caps matter.',
  link_caps_passed: 'More has come through the link than its caps admit. Revoke it if that is not wanted.',
  link_spent_wrong: 'A single-use link and what came through it disagree: revoke the link.',
  link_claim_wrong:
    'No session of this single-use link can land as long as it is so: revoke the link and make another.',
  link_open_after_end: 'Start the server, whose sweeper ends sessions that run out, and look again a day later.',
  session_wrong: 'Have its sender cancel the session and send the file again.',
  session_receipts_wrong:
    'Rows were changed or lost by something other than the server: restore the newest backup that is whole.',
  session_object_wrong: 'Have its sender cancel the session and send the file again.',
  session_stuck: 'The server has run since and has not finished it: its log says why.',
  drop_wrong: 'Rows were changed or lost by something other than the server: restore the newest backup that is whole.',
  drop_receipt_wrong:
    'Rows were changed or lost by something other than the server: restore the newest backup that is whole.',
  drop_claim_stuck: 'Until then nobody can adopt or discard the drop. `fsck --repair` lets go of it.',
  asset_wrong: 'Rows were changed or lost by something other than the server: restore the newest backup that is whole.',
  blob_wrong: 'Rows were changed or lost by something other than the server: restore the newest backup that is whole.',
  blob_receipt_wrong:
    'Rows were changed or lost by something other than the server: restore the newest backup that is whole.',
  object_wrong:
    'Rows were changed or lost by something other than the server: restore the newest backup that is whole.',
  object_time_wrong:
    'Until then it is neither read again nor removed; nothing is lost by that. Put the clock of the machine right if it is ahead; otherwise rows were changed by something other than the server.',
  object_damaged:
    'Put the file back from a backup, then run `fsck --deep --repair`, which takes the mark off. Until then nobody is told that it is kept.',
  object_intact: '`fsck --deep --repair` takes the mark off.',
  file_missing: 'Put the file back from a backup of the blob directory. Until then nobody is told that it is kept.',
  file_size_wrong: 'Put the file back from a backup of the blob directory. Until then nobody is told that it is kept.',
  file_unreadable: 'The disk fails: object what can be read to another one, and put this file back from a backup.',
  file_stray:
    'No row knows it, so nobody can ask for it. If the database was not restored from an older backup, it may be removed by hand.',
  file_unlisted:
    'Keep the file. Its row was lost to something other than the server: restore the newest backup that is whole.',
  fact_wrong: 'Rows were changed by something other than the server: restore the newest backup that is whole.',
  bytes_wrong:
    'Put the file back from a backup. `fsck --deep --repair` marks it as damaged, so that nobody is told that it is kept.',
  chunk_wrong: 'Have its sender cancel the session and send the file again.',
  key_wrong:
    'The attestation keys were changed by something other than the server: restore the newest backup that is whole.',
  receipt_unreadable: 'The log was changed or damaged: restore the newest backup that is whole.',
  receipt_hash_wrong: 'The log was changed or damaged: restore the newest backup that is whole.',
  receipt_columns_wrong: 'The log was changed or damaged: restore the newest backup that is whole.',
  receipt_chain_broken: 'A receipt was dropped, moved or changed: restore the newest backup that is whole.',
  receipt_time_wrong: 'The log was changed or damaged: restore the newest backup that is whole.',
  receipt_key_wrong: 'The log or its keys were changed: restore the newest backup that is whole.',
  receipt_signature_wrong: 'The log was changed or damaged: restore the newest backup that is whole.',
  receipt_server_wrong: 'The log was changed, or is another server’s: restore the newest backup that is whole.',
  receipt_subject_wrong: 'What the receipt vouches for is not what is kept: restore the newest backup that is whole.',
  log_head_wrong: 'The log’s end was cut off or changed: restore the newest backup that is whole.',
} as const

export type FindingKind = keyof typeof TODO

/** What one conditional write can put right without a doubt. */
export type Repair =
  | { readonly repair: 'recount_use'; readonly accountId: AccountId }
  | { readonly repair: 'recount_open'; readonly linkSeq: number }
  | { readonly repair: 'let_go'; readonly dropId: DropId; readonly claimId: string }
  | { readonly repair: 'mark_damaged'; readonly location: string }
  | { readonly repair: 'unmark_damaged'; readonly location: string }

/** Something that is wrong. `where` names the row by its ids, never by one that is a credential. */
export interface Finding {
  readonly kind: FindingKind
  readonly where: Where
  readonly what: string
  readonly repair: Repair | undefined
}

export type Where = Readonly<Record<string, string | number>>

export function found(kind: FindingKind, where: Where, what: string, repair?: Repair): Finding {
  return { kind, where, what, repair }
}

/** Those of `rules` that are broken. */
export function broken(
  where: Where,
  rules: readonly (readonly [isBroken: boolean, kind: FindingKind, what: string, repair?: Repair | undefined])[],
): readonly Finding[] {
  return rules.filter(([isBroken]) => isBroken).map(([, kind, what, repair]) => found(kind, where, what, repair))
}

/** One line for people. */
export function sentenceOf({ kind, where, what }: Finding): string {
  const place = Object.entries(where).map(([name, value]) => `${name} ${value}`)
  return `${kind}: ${[...place, what].join(', ')}`
}

const LAST_MS = 8_640_000_000_000_000

/** Also of a number that is no instant at all (ECMA-262, Time Values), as a row may hold one. */
export function instantText(at: Instant): string {
  return Math.abs(at) <= LAST_MS ? formatInstant(at) : `${at} ms`
}
