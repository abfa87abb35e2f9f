import { countText } from '@blindkeep/protocol/counts'
import { addSeconds, formatInstant, type Instant } from '@blindkeep/protocol/ids'
import type { AuditedAccount } from '../../ports/store.ts'
import { type Finding, findBroken, type Rules } from './finding.ts'

/** A running server empties a deleted account within minutes, a very large one within hours. */
const MAX_EMPTYING_SECONDS = 86_400

/** The used bytes equal the sum of the rows (ARCHITECTURE.md, What is always true). */
export function checkAccount(account: AuditedAccount, now: Instant): readonly Finding[] {
  const { accountId, usedBytes, pendingDrops, drops, changeSeq, highestChange, sharesWithoutVisits } = account
  const { unclosedBytes, dropBytes, blobBytes, binBytes } = account
  const bytes = unclosedBytes + dropBytes + blobBytes + binBytes
  const recount = { repair: 'recount_use', accountId } as const
  return findBroken({ account_id: accountId }, [
    [
      usedBytes !== bytes,
      'use_wrong',
      `${usedBytes} bytes used, ${bytes} in rows (${unclosedBytes} under way, ${dropBytes} pending, ${blobBytes} in assets, ${binBytes} in the bin)`,
      recount,
    ],
    [pendingDrops !== drops, 'pending_drops_wrong', `${pendingDrops} pending drops counted, ${drops} in rows`, recount],
    [highestChange > changeSeq, 'changes_wrong', `${changeSeq} changes counted, one is number ${highestChange}`],
    [
      sharesWithoutVisits > 0,
      'share_wrong',
      `the counts of visits of ${countText(sharesWithoutVisits, 'share')} are lost`,
    ],
    ...accountDeletionRules(account, { bytes, now }),
  ])
}

function accountDeletionRules(
  { deletedAt, emptiedAt, remains, drops, liveShares }: AuditedAccount,
  { bytes, now }: { readonly bytes: number; readonly now: Instant },
): Rules {
  const isWaiting = deletedAt !== undefined && emptiedAt === undefined
  return [
    [remains > 0, 'account_deletion_wrong', `deleted, and ${remains} values or rows of personal data are left`],
    [
      emptiedAt !== undefined && (deletedAt === undefined || bytes + drops + liveShares > 0),
      'account_deletion_wrong',
      `emptied, ${deletedAt === undefined ? 'not deleted' : 'deleted'}, with ${bytes} bytes in rows and ${liveShares} shares`,
    ],
    [
      isWaiting && addSeconds(deletedAt, MAX_EMPTYING_SECONDS) < now,
      'account_deletion_stuck',
      `deleted at ${deletedAt === undefined ? 'no time' : formatInstant(deletedAt)}, and not emptied`,
    ],
  ]
}
