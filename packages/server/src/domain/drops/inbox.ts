/** The pending drops of an account. Another account gets the answer of an unknown drop. */
import type { AccountId, DropId } from '@blindkeep/protocol/ids'
import type { Withheld } from '@blindkeep/protocol/schemas/drops'
import type { Drop, Store } from '../../ports/store.ts'
import type { Serving } from '../custody/servable.ts'
import { isWithheld } from '../custody/verdicts.ts'
import { listMadeOf } from '../ground/lists.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { createDiscarding, type DiscardingPorts } from './discarding.ts'

interface InboxPorts extends DiscardingPorts {
  readonly serving: Serving
}

/** As its owner sees it. */
export interface PendingDrop extends Drop {
  /** Absent if its bytes may be served, as far as the rows say. */
  readonly withheld?: Withheld
}

type Unservable = Refuses<'drop_not_found' | 'blob_withheld' | 'storage_unavailable'>

export type Inbox = ReturnType<typeof createInbox>

export function createInbox({ store, serving, clock, quota, bin }: InboxPorts) {
  /** The drop, if it may be served. A read with its size (`ReadOptions.size`) finds missing bytes. */
  async function servable(accountId: AccountId, dropId: DropId): Promise<Drop | Unservable> {
    const { drop, status } = await store.read(async (tx) => {
      const found = await tx.drops.find(dropId)
      return { drop: found, status: found && (await tx.objects.statusOf(found.location, found.ciphertextHash)) }
    })
    if (drop?.accountId !== accountId) return { refused: 'drop_not_found' }
    if (status?.isOnHold === true) return { refused: 'blob_withheld' }
    return status === undefined || isWithheld(status) ? { refused: 'storage_unavailable' } : drop
  }

  return {
    list: listMadeOf(store, {
      rows: (tx) => tx.drops,
      gone: { refused: 'drop_not_found' },
      make: (drops: readonly Drop[], accountId: AccountId) => withStanding(store, accountId, drops),
    }),

    servable,

    /** The drop, if it may be served and all its bytes are present. */
    async content(accountId: AccountId, dropId: DropId): Promise<Drop | Unservable> {
      const drop = await servable(accountId, dropId)
      if (isRefusal(drop)) return drop
      return (await serving.isWhole(drop)) ? drop : { refused: 'storage_unavailable' }
    },

    ...createDiscarding({ store, clock, quota, bin }),
  }
}

/** Adds to a page of the inbox what its owner cannot download. */
async function withStanding(
  store: Store,
  accountId: AccountId,
  drops: readonly Drop[],
): Promise<readonly PendingDrop[]> {
  const [first, last] = [drops[0]?.receivedAt, drops.at(-1)?.receivedAt]
  if (first === undefined || last === undefined) return drops
  const [from, to] = first < last ? [first, last] : [last, first]
  const statuses = await store.ask((tx) => tx.drops.withheldBetween(accountId, { from, to }))
  if (statuses.size === 0) return drops
  return drops.map((drop) => {
    const status = statuses.get(drop.dropId)
    return status === undefined ? drop : { ...drop, withheld: status.isOnHold ? 'held' : 'damaged' }
  })
}
