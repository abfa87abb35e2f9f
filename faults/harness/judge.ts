/** A stopped server's rows against the ledger: nothing acknowledged is lost, nothing happened unasked. */
import type { DatabaseSync } from 'node:sqlite'
import { judgeAssetRows } from './assets/judgeAssets.ts'
import { type Attempt, describeAttempt, type Ledger, type Link, mayHaveBeenEnded } from './ledger.ts'
import { type Row, rowsOf } from './rows.ts'

/** A session, by its row. */
interface Found {
  readonly state: string
  readonly receivedBytes: number
  readonly hasReceipt: boolean
  readonly hasDrop: boolean
  /** Asset ids in the adoption receipts of its drop, joined by commas: at most one. */
  readonly adoptedInto: string | undefined
}

export function judgeRows(database: DatabaseSync, ledger: Ledger): readonly string[] {
  const rows = new Map(rowsOf(database, SESSIONS).map((row) => [row.text('idempotency_key'), row]))
  const known = new Set(ledger.attempts.map(({ name }) => name))
  return [
    ...[...rows.keys()].filter((name) => !known.has(name)).map((name) => `no request opened the session ${name}`),
    ...ledger.attempts.flatMap((attempt) => attemptFaults(attempt, rows.get(attempt.name))),
    ...linkFaults(database, ledger.links),
    ...judgeAssetRows(database, ledger),
  ]
}

const SESSIONS = `select idempotency_key, uploads.upload_id, state, received_bytes, uploads.size, uploads.ciphertext_hash,
  (select count(*) from receipts where receipts.upload_id = uploads.upload_id and receipts.drop_id is not null) as receipts,
  (select group_concat(asset_id) from receipts where receipts.upload_id = uploads.upload_id) as adopted_into,
  (select count(*) from drops where drops.upload_id = uploads.upload_id) as drops
  from uploads where opaque_id is not null`

function attemptFaults(attempt: Attempt, row: Row | undefined): readonly string[] {
  const faults = row === undefined ? absenceFaults(attempt) : presenceFaults(attempt, foundIn(row), row)
  return faults.map((fault) => `${fault}: ${describeAttempt(attempt)}`)
}

function absenceFaults(attempt: Attempt): readonly string[] {
  return attempt.created === 'acknowledged' ? ['an acknowledged session has no row'] : []
}

function foundIn(row: Row): Found {
  return {
    state: row.text('state'),
    receivedBytes: row.number('received_bytes'),
    hasReceipt: row.number('receipts') > 0,
    hasDrop: row.number('drops') > 0,
    adoptedInto: row.optionalText('adopted_into'),
  }
}

function presenceFaults(attempt: Attempt, found: Found, row: Row): readonly string[] {
  const { state, receivedBytes, hasReceipt, hasDrop } = found
  const isEnded = state === 'ended' || state === 'failed'
  const isLanded = state === 'landed'
  const rules: readonly (readonly [boolean, string])[] = [
    [attempt.created === 'no', 'a session was created without a request'],
    [attempt.uploadId !== undefined && attempt.uploadId !== row.text('upload_id'), 'the session has another id'],
    [row.number('size') !== attempt.size, 'the session has another size'],
    [
      !isEnded && receivedBytes < attempt.acknowledgedOffset,
      `of the acknowledged bytes only ${receivedBytes} are recorded`,
    ],
    [attempt.landed === 'acknowledged' && !(isLanded && hasReceipt), `an acknowledged landing is ${state}`],
    [attempt.landed === 'no' && (isLanded || state === 'finishing'), `it is ${state} without its last chunk`],
    [attempt.isFalse && isLanded, 'it landed with bytes other than the declared ones'],
    [state === 'failed' && !attempt.isFalse, 'an honest session failed'],
    [state === 'ended' && attempt.cancelled === 'no' && !mayHaveBeenEnded(attempt), 'it was ended without a request'],
    [attempt.cancelled === 'acknowledged' && state !== 'ended', `an acknowledged cancel left it ${state}`],
    [attempt.discarded === 'acknowledged' && hasDrop, 'an acknowledged discard has come back'],
    ...dropRules(attempt, found),
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault)
}

/** A drop is pending, or it is one asset, or it was discarded. */
function dropRules(
  { discarded, adoptions }: Attempt,
  { state, hasDrop, adoptedInto }: Found,
): readonly (readonly [boolean, string])[] {
  const asked = adoptions.filter(({ bundle }) => bundle.original.landed !== 'no').map(({ asset }) => asset.assetId)
  const settled = adoptions.find(({ bundle }) => bundle.original.landed === 'acknowledged')?.asset.assetId
  const isAdopted = adoptedInto !== undefined
  return [
    [state === 'landed' && discarded === 'no' && !hasDrop && !isAdopted, 'its drop is missing and was not discarded'],
    [isAdopted && hasDrop, `it is pending and adopted into ${adoptedInto}`],
    [isAdopted && discarded === 'acknowledged', `an acknowledged discard was adopted into ${adoptedInto}`],
    [isAdopted && !asked.includes(adoptedInto), `it was adopted into ${adoptedInto} without a request`],
    [settled !== undefined && settled !== adoptedInto, `an acknowledged adoption into ${settled} is lost`],
  ]
}

function linkFaults(database: DatabaseSync, links: readonly Link[]): readonly string[] {
  const revoked = new Map(
    rowsOf(database, 'select opaque_id, revoked_at is not null as revoked from links').map((row) => [
      row.text('opaque_id'),
      row.number('revoked') === 1,
    ]),
  )
  return links.flatMap((link) => {
    const isRevoked = revoked.get(link.opaqueId)
    if (isRevoked === undefined) return ['an acknowledged link has no row']
    if (isRevoked && link.revoked === 'no') return ['a link was revoked without a request']
    return !isRevoked && link.revoked === 'acknowledged' ? ['an acknowledged revocation is lost'] : []
  })
}
