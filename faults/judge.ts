/** The ledger against the rows of a server that does not run: nothing acknowledged is lost, and nothing has happened that nobody asked for. */
import type { DatabaseSync } from 'node:sqlite'
import { type Attempt, describeAttempt, type Ledger, type Link, mayHaveBeenEnded } from './ledger.ts'
import { type Row, rowsOf } from './oracle/rows.ts'

/** What a session may be, by the row that it has. */
interface Found {
  readonly state: string
  readonly receivedBytes: number
  readonly hasReceipt: boolean
  readonly hasDrop: boolean
}

export function judgeRows(database: DatabaseSync, ledger: Ledger): readonly string[] {
  const rows = new Map(rowsOf(database, SESSIONS).map((row) => [row.text('idempotency_key'), row]))
  const known = new Set(ledger.attempts.map(({ name }) => name))
  return [
    ...[...rows.keys()].filter((name) => !known.has(name)).map((name) => `nobody asked for the session ${name}`),
    ...ledger.attempts.flatMap((attempt) => attemptFaults(attempt, rows.get(attempt.name))),
    ...linkFaults(database, ledger.links),
  ]
}

const SESSIONS = `select idempotency_key, uploads.upload_id, state, received_bytes, uploads.size, uploads.ciphertext_hash,
  count(receipt_seq) as receipts, count(drops.drop_id) as drops
  from uploads left join receipts using (upload_id) left join drops using (upload_id) group by uploads.upload_id`

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
  }
}

function presenceFaults(attempt: Attempt, found: Found, row: Row): readonly string[] {
  const { state, receivedBytes, hasReceipt, hasDrop } = found
  const isEnded = state === 'ended' || state === 'failed'
  const isLanded = state === 'landed'
  const rules: readonly (readonly [boolean, string])[] = [
    [attempt.created === 'no', 'a session was created that nobody asked for'],
    [attempt.uploadId !== undefined && attempt.uploadId !== row.text('upload_id'), 'the session has another id'],
    [row.number('size') !== attempt.size, 'the session has another size'],
    [
      !isEnded && receivedBytes < attempt.acknowledgedOffset,
      `of the acknowledged bytes only ${receivedBytes} are recorded`,
    ],
    [attempt.landed === 'acknowledged' && !(isLanded && hasReceipt), `an acknowledged landing is ${state}`],
    [attempt.landed === 'no' && (isLanded || state === 'finishing'), `it is ${state} without its last chunk`],
    [attempt.isFalse && isLanded, 'bytes landed that are not the declared ones'],
    [state === 'failed' && !attempt.isFalse, 'an honest session failed'],
    [state === 'ended' && attempt.cancelled === 'no' && !mayHaveBeenEnded(attempt), 'nobody asked for its end'],
    [attempt.cancelled === 'acknowledged' && state !== 'ended', `an acknowledged cancel left it ${state}`],
    [isLanded && attempt.discarded === 'no' && !hasDrop, 'its drop is gone and nobody discarded it'],
    [attempt.discarded === 'acknowledged' && hasDrop, 'an acknowledged discard has come back'],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault)
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
    if (isRevoked && link.revoked === 'no') return ['a link was revoked and nobody asked for it']
    return !isRevoked && link.revoked === 'acknowledged' ? ['an acknowledged revocation is lost'] : []
  })
}
