import type { Clock } from '../../ports/clock.ts'
import type { Store, WriteTx } from '../../ports/store.ts'
import type { Quota } from '../quota/quota.ts'
import type { Repair } from './finding.ts'

interface RepairPorts {
  readonly store: Pick<Store, 'write'>
  readonly clock: Clock
  readonly quota: Pick<Quota, 'note'>
}

/**
 * Puts right what a finding says can be, by one conditional write that looks again for itself. Removes no bytes and never touches the log.
 * Answers what it did, in words.
 */
export async function repair({ store, ...ports }: RepairPorts, given: Repair): Promise<string> {
  return store.write(async (tx) => ((await applied(tx, given, ports)) ? DONE[given.repair] : 'nothing was left to do'))
}

const DONE: Readonly<Record<Repair['repair'], string>> = {
  recount_use: 'set use and pending drops to what the rows say',
  recount_open: 'set open sessions and bytes to what the rows say',
  let_go: 'let go of the claim',
  mark_damaged: 'marked the object as damaged',
  unmark_damaged: 'took the mark off',
}

async function applied(tx: WriteTx, given: Repair, { clock, quota }: Omit<RepairPorts, 'store'>): Promise<boolean> {
  switch (given.repair) {
    case 'recount_use':
      if (!(await tx.audit.recountUse(given.accountId))) return false
      // Since when it has been too much follows from how much it is.
      await quota.note(tx, given.accountId, clock.now())
      return true
    case 'recount_open':
      return tx.audit.recountOpen(given.linkSeq)
    case 'let_go':
      return tx.drops.unclaim(given.dropId, given.claimId)
    case 'mark_damaged':
      return tx.objects.markDamaged(given.location, clock.now())
    case 'unmark_damaged':
      return tx.objects.noteIntact(given.location, clock.now())
  }
}
