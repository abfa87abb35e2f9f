import type { Clock } from '../../ports/clock.ts'
import type { Staging } from '../../ports/staging.ts'
import { accountLock, type Locks, type Store, type WriteTx } from '../../ports/store.ts'
import { completeFormerUrls, forgetPublicUrl } from '../discovery/publicUrls.ts'
import type { Quota } from '../quota/quota.ts'
import type { Repair } from './finding.ts'

interface RepairPorts {
  readonly store: Pick<Store, 'write'>
  readonly staging: Pick<Staging, 'settle'>
  readonly clock: Clock
  readonly quota: Pick<Quota, 'note'>
}

/**
 * Corrects what a finding allows, by one conditional write that checks the rows again. Removes no bytes and never
 * changes the log. Returns what it did, for people.
 */
export async function repair({ store, staging, ...ports }: RepairPorts, given: Repair): Promise<string> {
  // What brought the bytes back may have been killed before they were durable.
  if (given.repair === 'unmark_damaged') await staging.settle(given.location, given.size)
  return store.write(locksOf(given), async (tx) =>
    (await applied(tx, given, ports)) ? DONE[given.repair] : 'nothing was left to do',
  )
}

function locksOf(given: Repair): Locks {
  if ('accountId' in given) return [accountLock(given.accountId)]
  return 'location' in given ? [] : ['server']
}

const DONE: Readonly<Record<Repair['repair'], string>> = {
  recount_use: 'set used bytes and pending drops to the sum of the rows',
  recount_open: 'set open sessions and bytes to the sum of the rows',
  release_claim: 'released the claim',
  mark_damaged: 'marked the object as damaged',
  mark_unreadable: 'withheld the object until the server has read it',
  unmark_damaged: 'removed the mark',
  forget_public_url: 'removed it; the next start notes it again',
  complete_former_urls: 'listed the addresses that the moves name, and no other',
}

async function applied(
  tx: WriteTx,
  given: Repair,
  { clock, quota }: Omit<RepairPorts, 'store' | 'staging'>,
): Promise<boolean> {
  switch (given.repair) {
    case 'recount_use':
      if (!(await tx.audit.recountUse(given.accountId))) return false
      // The time of the excess depends on the used bytes.
      await quota.note(tx, given.accountId, clock.now())
      return true
    case 'recount_open':
      return tx.audit.recountOpen(given.linkSeq)
    case 'release_claim':
      return tx.drops.unclaim(given.dropId, given.claimId)
    case 'mark_damaged':
      return tx.objects.markDamaged(given.location, clock.now())
    case 'mark_unreadable':
      return tx.objects.suspect(given.location, clock.now())
    case 'unmark_damaged':
      return tx.objects.noteIntact(given.location, { readAt: given.readAt, at: clock.now() })
    case 'forget_public_url':
      return forgetPublicUrl(tx)
    case 'complete_former_urls':
      return completeFormerUrls(tx)
  }
}
