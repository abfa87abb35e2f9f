import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import { all, changesOne, exists, first, inserts, runs } from './statements.ts'
import { columnsOf } from './tables.ts'

/** An invite is live until its `expiresAt`, unless it was used. */
export const inviteReads = {
  find: first((db, codeHash: string) =>
    db.selectFrom('invites').select(columnsOf('invites')).where('codeHash', '=', codeHash),
  ),
  /** Oldest first, at most `max`. */
  list: all((db, max: number) =>
    db.selectFrom('invites').select(columnsOf('invites')).orderBy('createdAt').orderBy('codeHash').limit(max),
  ),
  /** Whether any invite is live at `at`. */
  hasLive: exists((db, at: Instant) =>
    db.selectFrom('invites').select('codeHash').where('expiresAt', '>', at).where('usedBy', 'is', null).limit(1),
  ),
}

export const inviteWrites = {
  insert: inserts('invites'),
  /** False, and nothing changed, unless live at `at`. One conditional statement: one of many uses succeeds. */
  use: changesOne((db, codeHash: string, accountId: AccountId, at: Instant) =>
    db
      .updateTable('invites')
      .set({ usedBy: accountId })
      .where('codeHash', '=', codeHash)
      .where('usedBy', 'is', null)
      .where('expiresAt', '>', at),
  ),
  /** False, and nothing changed, if used or unknown. One conditional statement: either used or revoked. */
  revoke: changesOne((db, codeHash: string) =>
    db.deleteFrom('invites').where('codeHash', '=', codeHash).where('usedBy', 'is', null),
  ),
  /** Removes at most `max` that expired before `before`, used or not. */
  prune: runs((db, before: Instant, max: number) =>
    db
      .deleteFrom('invites')
      .where('codeHash', 'in', (invite) =>
        invite.selectFrom('invites').select('codeHash').where('expiresAt', '<', before).orderBy('expiresAt').limit(max),
      ),
  ),
}
