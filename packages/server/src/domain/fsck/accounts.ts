import { addSeconds, formatInstant, type Instant } from '@blindkeep/protocol/ids'
import type { AuditedAccount } from '../../ports/store.ts'
import { broken, type Finding } from './finding.ts'

/** What a deleted account held is let go of within minutes by a server that runs, of a very large one within hours. */
const MAX_EMPTYING_SECONDS = 86_400

type Rules = Parameters<typeof broken>[1]

/** Use equals the sum of rows (ARCHITECTURE.md, What is always true). */
export function judgeAccount(account: AuditedAccount, now: Instant): readonly Finding[] {
  const { accountId, usedBytes, pendingDrops, drops, changeSeq, highestChange } = account
  const { unclosedBytes, dropBytes, blobBytes } = account
  const bytes = unclosedBytes + dropBytes + blobBytes
  const recount = { repair: 'recount_use', accountId } as const
  return broken({ account_id: accountId }, [
    [
      usedBytes !== bytes,
      'use_wrong',
      `${usedBytes} bytes used, ${bytes} in rows (${unclosedBytes} under way, ${dropBytes} pending, ${blobBytes} in assets)`,
      recount,
    ],
    [pendingDrops !== drops, 'pending_drops_wrong', `${pendingDrops} pending drops counted, ${drops} in rows`, recount],
    [highestChange > changeSeq, 'changes_wrong', `${changeSeq} changes counted, one is number ${highestChange}`],
    ...accountDeletionRules(account, { bytes, now }),
  ])
}

function accountDeletionRules(
  { deletedAt, emptiedAt, remains, drops, liveShares }: AuditedAccount,
  { bytes, now }: { readonly bytes: number; readonly now: Instant },
): Rules {
  const isWaiting = deletedAt !== undefined && emptiedAt === undefined
  return [
    [remains > 0, 'account_deletion_wrong', `deleted, and ${remains} values or rows of its person are there`],
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
