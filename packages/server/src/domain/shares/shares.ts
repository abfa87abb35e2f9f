/**
 * Shares show some of an account's contents to every client that knows the address. A share owns nothing: it serves a
 * content as long as a live asset of the account has the content.
 */
import { type AccountId, addSeconds, type OpaqueId, type Sha256Hex } from '@blindkeep/protocol/ids'
import {
  accountLock,
  type NewShare,
  type ReadTx,
  type Share,
  type ShareContents,
  type WriteTx,
} from '../../ports/store.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import { judgeBound } from '../ground/bounds.ts'
import { refusePassed } from '../ground/expiry.ts'
import { listOf } from '../ground/lists.ts'
import type { NewName } from '../ground/newName.ts'
import type { Refuses } from '../ground/refusals.ts'
import { isSame } from '../ground/sameBytes.ts'
import { sha256 } from '../ground/sha256.ts'
import type { PassphraseSettings } from '../passphrases/judgePassphrase.ts'
import { createShareReading, type ShareReadingPorts } from './shareReading.ts'

/** How long the owner still sees an expired share in the list. The share itself shows nothing. */
export const EXPIRED_KEPT_SECONDS = 30 * 86_400
/** In one transaction: the contents of a share may be long. */
const MAX_ENDED = 1
/** In one sweep. */
const MAX_TRANSACTIONS = 500

export type ShareRequest = Omit<NewShare, 'accountId' | 'createdAt' | 'verifierHash'> & {
  readonly passphraseVerifier: Uint8Array | undefined
}

export interface ShareChange {
  readonly sealedName: NewName
  readonly maxDownloads: number | undefined | 'same'
  readonly contents: ReplacingContents | 'same'
}

export interface ReplacingContents extends ShareContents {
  readonly sealedRecord: Uint8Array
  /** Of the index that they replace. */
  readonly priorIndexHash: Sha256Hex
}

export type Shares = ReturnType<typeof createShares>

export function createShares(ports: ShareReadingPorts, settings: PassphraseSettings) {
  const { store, clock } = ports
  return {
    ...createShareReading(ports, settings),

    /** Makes a share. An exact repeat gets the same answer. Ids are used once: an old address shows nothing new. */
    async create(
      accountId: AccountId,
      request: ShareRequest,
    ): Promise<OpaqueId | Refuses<'session_over' | 'request_malformed' | 'request_unprocessable' | 'limit_reached'>> {
      const { passphraseVerifier, ...values } = request
      const verifierHash = passphraseVerifier && sha256(passphraseVerifier)
      const share: NewShare = { ...values, verifierHash, accountId, createdAt: clock.now() }
      return store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        const present = await tx.shares.find(share.opaqueId)
        if (present !== undefined) return (await isRepeat(tx, present, share)) ? share.opaqueId : ID_TAKEN
        const passed = refusePassed(share.expiresAt, share.createdAt)
        if (passed !== undefined) return passed
        const overBound = judgeBound('shares', await tx.shares.count(accountId))
        if (overBound !== undefined) return overBound
        const overBytes = await judgeBytes(tx, accountId, bytesOf(share))
        if (overBytes !== undefined) return overBytes
        return (await tx.shares.insert(share)) ? share.opaqueId : ID_TAKEN
      })
    },

    /** Without deleted ones. */
    list: listOf(store, { rows: (tx) => tx.shares, gone: { refused: 'share_not_found' } }),

    /** What the share shows, for its owner: no visit, also an expired one, and without the passphrase. */
    async own(accountId: AccountId, opaqueId: OpaqueId): Promise<ShareContents | Refuses<'share_not_found'>> {
      return store.read(async (tx) => {
        const isOwn = (await tx.shares.find(opaqueId))?.accountId === accountId
        return (isOwn ? await tx.shares.contentsOf(opaqueId) : undefined) ?? { refused: 'share_not_found' }
      })
    },

    /**
     * The owner's own name for a share, also an expired one, which a receiver does not see; how many visits may
     * download; and what it shows. Undefined removes name and limit.
     */
    async change(
      accountId: AccountId,
      opaqueId: OpaqueId,
      { sealedName, maxDownloads, contents }: ShareChange,
    ): Promise<Refuses<'session_over' | 'share_not_found' | 'share_changed' | 'limit_reached'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        const share = await tx.shares.find(opaqueId)
        if (share?.accountId !== accountId || share.endedAt !== undefined) return { refused: 'share_not_found' }
        const refused = contents === 'same' ? undefined : await replaceContents(tx, share, contents)
        if (refused !== undefined) return refused
        if (sealedName !== 'same') await tx.shares.setName(opaqueId, accountId, sealedName)
        const visits = await tx.shares.visitsOf(opaqueId)
        if (maxDownloads !== 'same' && visits !== undefined)
          await tx.shares.setVisits(opaqueId, { ...visits, maxDownloads })
        return undefined
      })
    },

    /** The caller does not learn whether the share existed. Its contents are deleted when this resolves. */
    async remove(accountId: AccountId, opaqueId: OpaqueId): Promise<void> {
      await store.write([accountLock(accountId)], (tx) => tx.shares.end(opaqueId, accountId, clock.now()))
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

/** Of two writers that have read the same contents, one replaces them. A repeat finds them as they should be. */
async function replaceContents(
  tx: WriteTx,
  { opaqueId, accountId }: Share,
  { priorIndexHash, ...contents }: ReplacingContents,
): Promise<Refuses<'share_not_found' | 'share_changed' | 'limit_reached'> | undefined> {
  const present = await tx.shares.contentsOf(opaqueId)
  if (present === undefined) return { refused: 'share_not_found' }
  const { sealedRecord } = await tx.shares.notesOf(opaqueId)
  if (isSameContents(present, contents) && isSame(sealedRecord, contents.sealedRecord)) return undefined
  if (!Buffer.from(sha256(present.sealedIndex)).equals(Buffer.from(priorIndexHash, 'hex')))
    return { refused: 'share_changed' }
  const overBytes = await judgeBytes(tx, accountId, bytesOf(contents) - bytesOf(present))
  if (overBytes !== undefined) return overBytes
  await tx.shares.setContents(opaqueId, contents)
  return undefined
}

async function isRepeat(tx: ReadTx, present: Share, request: NewShare): Promise<boolean> {
  if (present.accountId !== request.accountId || present.expiresAt !== request.expiresAt) return false
  const notes = await tx.shares.notesOf(present.opaqueId)
  const contents = await tx.shares.contentsOf(present.opaqueId)
  return (
    contents !== undefined &&
    isSame(present.verifierHash, request.verifierHash) &&
    isSame(notes.sealedName, request.sealedName) &&
    isSame(notes.sealedRecord, request.sealedRecord) &&
    (await tx.shares.visitsOf(present.opaqueId))?.maxDownloads === request.maxDownloads &&
    isSameContents(contents, request)
  )
}

function isSameContents(one: ShareContents, other: ShareContents): boolean {
  return (
    isSame(one.sealedIndex, other.sealedIndex) &&
    one.blobHashes.length === other.blobHashes.length &&
    one.blobHashes.every((hash, position) => hash === other.blobHashes[position])
  )
}

async function judgeBytes(
  tx: ReadTx,
  accountId: AccountId,
  added: number,
): Promise<Refuses<'limit_reached'> | undefined> {
  return judgeBound('bytes of shares', (await tx.shares.bytesOf(accountId)) + added - 1)
}

/** What the row of a share takes beside its fixed columns, as `tx.shares.bytesOf` counts it. */
function bytesOf({ blobHashes, sealedIndex }: ShareContents): number {
  return 32 * blobHashes.length + sealedIndex.length
}
