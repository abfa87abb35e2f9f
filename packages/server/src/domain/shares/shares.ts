/**
 * Shares show some of an account's contents to every client that knows the address. A share owns nothing: it serves a content as long as a live asset of
 * the account has the content.
 */
import { type AccountId, addSeconds, type Instant, type OpaqueId, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Objects } from '../../ports/objects.ts'
import {
  accountLock,
  type HeldBlob,
  type ListedShare,
  type NewShare,
  type ReadTx,
  type Share,
  type ShareContents,
  type Store,
} from '../../ports/store.ts'
import { isReachable, requireActiveAccount } from '../account/activeAccount.ts'
import { findServable } from '../custody/servable.ts'
import { isWithheld } from '../custody/verdicts.ts'
import type { Refuses } from '../refusals.ts'
import { isSame } from '../sameBytes.ts'

export const MAX_SHARES = 1000
/** How long the owner still sees an expired share in the list. The share itself shows nothing. */
export const EXPIRED_KEPT_SECONDS = 30 * 86_400
/** In one transaction: the contents of a share may be long. */
const MAX_ENDED = 1
/** In one sweep. */
const MAX_TRANSACTIONS = 500

export type ShareRequest = Omit<NewShare, 'accountId' | 'createdAt'>

interface SharePorts {
  readonly store: Store
  readonly objects: Objects
  readonly clock: Clock
}

export type Shares = ReturnType<typeof createShares>

export function createShares({ store, objects, clock }: SharePorts) {
  return {
    /** Makes a share. An exact repeat by the same account gets the same answer. An id is never used again: an old address must not show new contents. */
    async create(
      accountId: AccountId,
      request: ShareRequest,
    ): Promise<OpaqueId | Refuses<'session_over' | 'request_malformed' | 'limit_reached'>> {
      const share = { ...request, accountId, createdAt: clock.now() }
      return store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        const present = await tx.shares.find(share.opaqueId)
        if (present !== undefined) return (await isRepeat(tx, present, share)) ? share.opaqueId : ID_TAKEN
        if ((await tx.shares.count(accountId)) >= MAX_SHARES)
          return { refused: 'limit_reached', detail: `an account has at most ${MAX_SHARES} shares` }
        return (await tx.shares.insert(share)) ? share.opaqueId : ID_TAKEN
      })
    },

    /** Oldest first, without deleted ones. */
    async list(accountId: AccountId): Promise<readonly ListedShare[]> {
      return store.read((tx) => tx.shares.listOf(accountId))
    },

    /** The owner's own name for a share, also an expired one. Undefined removes it. A receiver does not see it. */
    async name(
      accountId: AccountId,
      opaqueId: OpaqueId,
      sealedName: Uint8Array | undefined,
    ): Promise<Refuses<'session_over' | 'share_not_found'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        return (await tx.shares.setName(opaqueId, accountId, sealedName)) ? undefined : { refused: 'share_not_found' }
      })
    },

    /** The caller does not learn whether the share existed. Its contents are deleted when this resolves. */
    async remove(accountId: AccountId, opaqueId: OpaqueId): Promise<void> {
      await store.write([accountLock(accountId)], (tx) => tx.shares.end(opaqueId, accountId, clock.now()))
    },

    async contents(opaqueId: OpaqueId): Promise<ShareContents | Refuses<'share_not_found'>> {
      const now = clock.now()
      return store.read(async (tx) => {
        const share = await findLive(tx, opaqueId, now)
        return (share && (await tx.shares.contentsOf(opaqueId))) ?? { refused: 'share_not_found' }
      })
    },

    /**
     * An object of this content, if the share names it and a live asset of the owner holds it. A withheld content answers as an unknown one:
     * its reason concerns only the owner. An object that cannot be served and is not yet known to be damaged is a failure.
     */
    async content(
      opaqueId: OpaqueId,
      ciphertextHash: Sha256Hex,
    ): Promise<HeldBlob | Refuses<'share_not_found' | 'storage_unavailable'>> {
      const now = clock.now()
      const held = await store.read(async (tx) => {
        const share = await findLive(tx, opaqueId, now)
        const isNamed = share !== undefined && (await tx.shares.names(opaqueId, ciphertextHash))
        return isNamed ? tx.assets.objectsOf(share.accountId, ciphertextHash) : []
      })
      const served = held.filter((object) => !isWithheld(object))
      return served.length === 0 ? { refused: 'share_not_found' } : findServable(objects, served)
    },

    /** Ends shares that expired more than `EXPIRED_KEPT_SECONDS` ago. */
    async prune(): Promise<void> {
      const now = clock.now()
      const before = addSeconds(now, -EXPIRED_KEPT_SECONDS)
      for (let transaction = 0; transaction < MAX_TRANSACTIONS; transaction++) {
        const ended = await store.write([], (tx) => tx.shares.endExpired(before, now, MAX_ENDED))
        if (ended < MAX_ENDED) return
      }
    },
  }
}

const ID_TAKEN = { refused: 'request_malformed', detail: '/opaque_id is taken: make a new random one' } as const

/** Undefined for every share that may not be read: the reasons look alike from outside. */
async function findLive(tx: ReadTx, opaqueId: OpaqueId, at: Instant): Promise<Share | undefined> {
  const share = await tx.shares.find(opaqueId)
  if (share === undefined || share.endedAt !== undefined) return undefined
  if (share.expiresAt !== undefined && share.expiresAt <= at) return undefined
  const owner = await tx.accounts.standing(share.accountId)
  return isReachable(owner) ? share : undefined
}

async function isRepeat(tx: ReadTx, present: Share, request: NewShare): Promise<boolean> {
  if (present.accountId !== request.accountId || present.expiresAt !== request.expiresAt) return false
  const notes = await tx.shares.notesOf(present.opaqueId)
  const contents = await tx.shares.contentsOf(present.opaqueId)
  return (
    contents !== undefined &&
    isSame(notes.sealedName, request.sealedName) &&
    isSame(notes.sealedRecord, request.sealedRecord) &&
    Buffer.from(contents.sealedIndex).equals(request.sealedIndex) &&
    contents.blobHashes.length === request.blobHashes.length &&
    contents.blobHashes.every((hash, position) => hash === request.blobHashes[position])
  )
}
