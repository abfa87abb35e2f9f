import { type AccountId, addSeconds, type Instant, type OpaqueId, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HeldBlob, NewShare, ReadTx, Share, ShareContents, Store } from '../../ports/store.ts'
import { isReachable, requireActiveAccount } from '../account/activeAccount.ts'
import { isWithheld } from '../custody/verdicts.ts'
import type { Refuses } from '../refusals.ts'
import { servedObject } from './servedObject.ts'

/** Shares: some of what an account keeps, for whoever has the address. They own nothing: what they name is served as long as the account's assets hold it. */
export const MAX_SHARES = 1000
/** An expired share shows nothing; so long its owner still sees it in the list. */
export const EXPIRED_KEPT_SECONDS = 30 * 86_400
/** Of one transaction: a share may have ten thousand hashes. */
const ENDED_AT_ONCE = 1
/** Of one sweep. */
const MAX_TRANSACTIONS = 500

export type ShareRequest = Omit<NewShare, 'accountId' | 'createdAt'>

interface SharePorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
}

export type Shares = ReturnType<typeof createShares>

export function createShares({ store, blobs, clock }: SharePorts) {
  return {
    /** Makes a share, or says again that it is made when the same caller repeats the same values. An id is never given twice: whoever knows it would read something else under it. */
    async create(
      accountId: AccountId,
      request: ShareRequest,
    ): Promise<OpaqueId | Refuses<'session_over' | 'request_malformed' | 'limit_reached'>> {
      const share = { ...request, accountId, createdAt: clock.now() }
      return store.write(async (tx) => {
        const gone = await requireActiveAccount(tx, accountId)
        if (gone !== undefined) return gone
        const present = await tx.shares.find(share.opaqueId)
        if (present !== undefined) return (await isRepeat(tx, present, share)) ? share.opaqueId : ID_TAKEN
        if ((await tx.shares.count(accountId)) >= MAX_SHARES)
          return { refused: 'limit_reached', detail: `an account has at most ${MAX_SHARES} shares` }
        return (await tx.shares.insert(share)) ? share.opaqueId : ID_TAKEN
      })
    },

    /** Oldest first, without those that were deleted. */
    async list(accountId: AccountId): Promise<readonly Share[]> {
      return store.read((tx) => tx.shares.listOf(accountId))
    },

    /** Silent about whether there was one. What it held is gone when this resolves. */
    async remove(accountId: AccountId, opaqueId: OpaqueId): Promise<void> {
      await store.write((tx) => tx.shares.end(opaqueId, accountId, clock.now()))
    },

    async contents(opaqueId: OpaqueId): Promise<ShareContents | Refuses<'share_not_found'>> {
      const now = clock.now()
      return store.read(async (tx) => {
        const share = await findLive(tx, opaqueId, now)
        return (share && (await tx.shares.contentsOf(opaqueId))) ?? { refused: 'share_not_found' }
      })
    },

    /**
     * An object of this content, if the share names it and a live asset of its owner's holds it. What is withheld from the owner, whyever, is nobody's
     * business who has the address: it looks as if there were nothing. An object that nobody has found damaged yet, and cannot be served, is a failure.
     */
    async content(
      opaqueId: OpaqueId,
      ciphertextHash: Sha256Hex,
    ): Promise<HeldBlob | Refuses<'share_not_found' | 'storage_unavailable'>> {
      const now = clock.now()
      const objects = await store.read(async (tx) => {
        const share = await findLive(tx, opaqueId, now)
        const isNamed = share !== undefined && (await tx.shares.names(opaqueId, ciphertextHash))
        return isNamed ? tx.assets.objectsOf(share.accountId, ciphertextHash) : []
      })
      const given = objects.filter((object) => !isWithheld(object))
      return given.length === 0 ? { refused: 'share_not_found' } : servedObject(blobs, given)
    },

    /** Ends those whose expiry has passed long ago, some at a time. */
    async prune(): Promise<void> {
      const now = clock.now()
      const before = addSeconds(now, -EXPIRED_KEPT_SECONDS)
      for (let transaction = 0; transaction < MAX_TRANSACTIONS; transaction++) {
        const ended = await store.write((tx) => tx.shares.endExpired(before, now, ENDED_AT_ONCE))
        if (ended < ENDED_AT_ONCE) return
      }
    },
  }
}

const ID_TAKEN = { refused: 'request_malformed', detail: '/opaque_id is taken: make a new random one' } as const

/** Undefined for one that nobody may read: all of them look alike. */
async function findLive(tx: ReadTx, opaqueId: OpaqueId, at: Instant): Promise<Share | undefined> {
  const share = await tx.shares.find(opaqueId)
  if (share === undefined || share.endedAt !== undefined) return undefined
  if (share.expiresAt !== undefined && share.expiresAt <= at) return undefined
  const owner = await tx.accounts.find(share.accountId)
  return isReachable(owner) ? share : undefined
}

async function isRepeat(tx: ReadTx, present: Share, wanted: NewShare): Promise<boolean> {
  if (present.accountId !== wanted.accountId || present.expiresAt !== wanted.expiresAt) return false
  const held = await tx.shares.contentsOf(present.opaqueId)
  return (
    held !== undefined &&
    Buffer.from(held.sealedIndex).equals(wanted.sealedIndex) &&
    held.blobHashes.join() === wanted.blobHashes.join()
  )
}
