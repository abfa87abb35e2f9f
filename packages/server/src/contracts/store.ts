import { describe } from 'node:test'
import { describeAccountDeletions } from './store/accountDeletions.ts'
import { describeAccounts } from './store/accounts.ts'
import { describeAlbums } from './store/albums.ts'
import { describeAssets } from './store/assets.ts'
import { describeAssetUploads } from './store/assetUploads.ts'
import { describeAudit } from './store/audit.ts'
import { describeBin } from './store/bin.ts'
import { describeCensus } from './store/census.ts'
import { describeChangeNumbers } from './store/changes.ts'
import { describeChannels } from './store/channels.ts'
import { describeClaims } from './store/claims.ts'
import { describeDevices } from './store/devices.ts'
import { describeDiscovery } from './store/discovery.ts'
import { describeDrops } from './store/drops.ts'
import { describeDurability } from './store/durability.ts'
import { describeHolds, describePauses } from './store/holds.ts'
import { describeInvites } from './store/invites.ts'
import { describeKeysAndFacts } from './store/keys.ts'
import { describeLinks } from './store/links.ts'
import { describeMoving } from './store/moving.ts'
import { describeObjectMarks } from './store/objectMarks.ts'
import { describeObjects } from './store/objects.ts'
import { describePages } from './store/pages.ts'
import { describeParts } from './store/parts.ts'
import { describePasskeys } from './store/passkeys.ts'
import { describeReceipts } from './store/receipts.ts'
import { describeReservations } from './store/reservations.ts'
import { describeSecondFactors } from './store/secondFactors.ts'
import { describeSessions } from './store/sessions.ts'
import { describeShares } from './store/shares.ts'
import { describeStatus } from './store/status.ts'
import { describeTransactions } from './store/transactions.ts'
import { describeUploadChunks } from './store/uploadChunks.ts'
import { describeUploads } from './store/uploads.ts'
import type { InStore, StoreWorld } from './store/world.ts'

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
    describeBin(inStore)
    describeObjects(inStore)
    describeObjectMarks(inStore)
    describePages(inStore)
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
    describeStatus(inStore)
    describeMoving(inStore)
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
