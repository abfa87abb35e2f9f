import { describe } from 'node:test'
import { describeAccountDeletions } from './storeContract/accountDeletions.ts'
import { describeAccounts } from './storeContract/accounts.ts'
import { describeAlbums } from './storeContract/albums.ts'
import { describeAssets } from './storeContract/assets.ts'
import { describeAssetUploads } from './storeContract/assetUploads.ts'
import { describeAudit } from './storeContract/audit.ts'
import { describeCensus } from './storeContract/census.ts'
import { describeChangeNumbers } from './storeContract/changes.ts'
import { describeChannels } from './storeContract/channels.ts'
import { describeClaims } from './storeContract/claims.ts'
import { describeDevices } from './storeContract/devices.ts'
import { describeDiscovery } from './storeContract/discovery.ts'
import { describeDrops } from './storeContract/drops.ts'
import { describeDurability } from './storeContract/durability.ts'
import { describeHolds, describePauses } from './storeContract/holds.ts'
import { describeInvites } from './storeContract/invites.ts'
import { describeKeysAndFacts } from './storeContract/keys.ts'
import { describeLinks } from './storeContract/links.ts'
import { describeObjectMarks } from './storeContract/objectMarks.ts'
import { describeObjects } from './storeContract/objects.ts'
import { describeParts } from './storeContract/parts.ts'
import { describePasskeys } from './storeContract/passkeys.ts'
import { describeReceipts } from './storeContract/receipts.ts'
import { describeReservations } from './storeContract/reservations.ts'
import { describeSecondFactors } from './storeContract/secondFactors.ts'
import { describeSessions } from './storeContract/sessions.ts'
import { describeShares } from './storeContract/shares.ts'
import { describeTransactions } from './storeContract/transactions.ts'
import { describeUploadChunks } from './storeContract/uploadChunks.ts'
import { describeUploads } from './storeContract/uploads.ts'
import type { InStore, StoreWorld } from './storeContract/world.ts'

/** Tests the promises of `Store` on one adapter. Call it once per adapter, from the adapter’s own test file. */
export function storeContract(name: string, openWorld: () => Promise<StoreWorld>): void {
  const inStore: InStore = (work) => async () => {
    const world = await openWorld()
    try {
      await work(world.store)
    } finally {
      await world.close()
    }
  }
  describe(`${name} keeps the promises of Store`, () => {
    describeTransactions(inStore)
    describeAccounts(inStore)
    describeSecondFactors(inStore)
    describeSessions(inStore)
    describeInvites(inStore)
    describeDevices(inStore)
    describePasskeys(inStore)
    describeAlbums(inStore)
    describeAssets(inStore)
    describeLinks(inStore)
    describeReservations(inStore)
    describeUploads(inStore)
    describeUploadChunks(inStore)
    describeAssetUploads(inStore)
    describeDrops(inStore)
    describeClaims(inStore)
    describeObjects(inStore)
    describeObjectMarks(inStore)
    describeParts(inStore)
    describeHolds(inStore)
    describePauses(inStore)
    describeChangeNumbers(inStore)
    describeReceipts(inStore)
    describeDiscovery(inStore)
    describeChannels(inStore)
    describeShares(inStore)
    describeAccountDeletions(inStore)
    describeKeysAndFacts(inStore)
    describeCensus(inStore)
    describeAudit(inStore)
  })
}

/** Tests an adapter whose data outlives its process. */
export function durableStoreContract(
  name: string,
  openWorld: () => Promise<StoreWorld & Required<Pick<StoreWorld, 'reopen'>>>,
): void {
  describe(`${name} keeps rows across restarts as Store promises`, () => describeDurability(openWorld))
}
