import type { AuditedAccount } from '../../ports/store.ts'
import { broken, type Finding } from './finding.ts'

/** Use equals the sum of rows (ARCHITECTURE.md, What is always true). */
export function judgeAccount(account: AuditedAccount): readonly Finding[] {
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
  ])
}
