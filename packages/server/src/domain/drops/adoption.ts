import { createHash } from 'node:crypto'
import { type AccountId, type AssetId, addSeconds, type DropId, type Instant } from '@blindkeep/protocol/ids'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Drop, ReadTx, Store, Upload, WriteTx } from '../../ports/store.ts'
import { type Assets, NoSlot } from '../assets/assets.ts'
import { type Declared, judgeAuthor, judgeManifest, type ManifestRefusal } from '../assets/manifest.ts'
import { judgeSlot, type SlotRefusal } from '../assets/slot.ts'
import { noteChange } from '../changes/changes.ts'
import type { ReceiptLog } from '../custody/receipts.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'

/**
 * A pending drop becomes the original of an asset: validate → claim → sign → asset, receipt and settling in one transaction, which fails if the
 * claim is no longer its own (specification, Adopt, rules 1 to 3). A crash leaves the row claimed until its lease has run out.
 */
export interface AdoptionSettings {
  readonly adoptionLeaseSeconds: number
  readonly manifestDriftDays: number
}

interface AdoptionRequest {
  readonly accountId: AccountId
  readonly dropId: DropId
  /** Its role is `original`. */
  readonly declared: Declared
}

export type AdoptionRefusal =
  | ManifestRefusal
  | SlotRefusal
  | Refuses<
      'drop_not_found' | 'device_not_authorized' | 'album_not_available' | 'adoption_mismatch' | 'storage_unavailable'
    >

interface AdoptionPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly receiptLog: ReceiptLog
  readonly assets: Assets
  readonly ending: UploadEnding
}

/** The claim was taken over, or the drop discarded, while the receipt was being signed: there is no receipt then. */
class ClaimLost extends Error {}

const NOT_FOUND = { refused: 'drop_not_found' } as const

export type Adopt = ReturnType<typeof createAdopt>

export function createAdopt(
  { store, blobs, clock, random, receiptLog, assets, ending }: AdoptionPorts,
  settings: AdoptionSettings,
) {
  const inFlight = new Map<string, Promise<AssetId | AdoptionRefusal>>()

  async function run(request: AdoptionRequest, requestHash: string): Promise<AssetId | AdoptionRefusal> {
    const now = clock.now()
    const drop = await store.read((tx) => judge(tx, request, now))
    if (isRefusal(drop)) return drop
    // A receipt is signed for what is there, not for what once was.
    if ((await blobs.size(drop.location)) !== drop.size) return { refused: 'storage_unavailable' }
    const claimId = random.uuid()
    const refused = await store.write((tx) => claim(tx, { request, requestHash, claimId }))
    return refused ?? settle(request, drop, claimId)
  }

  async function judge(
    tx: ReadTx,
    { accountId, dropId, declared }: AdoptionRequest,
    now: Instant,
  ): Promise<Drop | AdoptionRefusal> {
    const drop = await tx.drops.find(dropId)
    if (drop?.accountId !== accountId) return NOT_FOUND
    const refused =
      judgeManifest(declared, { now, driftDays: settings.manifestDriftDays }) ??
      (await judgeAuthor(tx, accountId, declared)) ??
      mismatch(declared, drop) ??
      (await judgeSlot(tx, { accountId, ...declared }))
    if (refused === undefined) return drop
    // To any request but the one that holds it, a claimed drop is not there at all; that one was found good before it claimed.
    return drop.leasedUntil !== undefined && drop.leasedUntil > now ? NOT_FOUND : refused
  }

  async function claim(
    tx: WriteTx,
    {
      request,
      requestHash,
      claimId,
    }: { readonly request: AdoptionRequest; readonly requestHash: string; readonly claimId: string },
  ): Promise<AdoptionRefusal | undefined> {
    const at = clock.now()
    const judged = await judge(tx, request, at)
    if (isRefusal(judged)) return judged
    const leasedUntil = addSeconds(at, settings.adoptionLeaseSeconds)
    const isClaimed = await tx.drops.claim({ dropId: request.dropId, claimId, requestHash, at, leasedUntil })
    return isClaimed ? undefined : NOT_FOUND
  }

  async function settle(request: AdoptionRequest, drop: Drop, claimId: string): Promise<AssetId | AdoptionRefusal> {
    const { accountId, dropId, declared } = request
    const { assetId, ciphertextHash, size } = declared
    let ended: readonly Upload[] = []
    try {
      await receiptLog.append({
        subject: { uploadId: drop.uploadId, assetId, blobRole: 'original', ciphertextHash, size },
        async commit(tx, { receivedAt }) {
          if (!(await tx.drops.settle(dropId, claimId))) throw new ClaimLost()
          ended = await assets.adopt(tx, { accountId, declared, drop, at: receivedAt })
          await noteChange(tx, accountId, { name: 'drop.adopted', dropId, assetId }, receivedAt)
        },
      })
      ending.afterClose(ended)
      return assetId
    } catch (error) {
      if (error instanceof ClaimLost) return outcomeOf(request)
      await store.write((tx) => tx.drops.unclaim(dropId, claimId))
      if (error instanceof NoSlot) return error.refusal
      throw error
    }
  }

  /** The same request, repeated after a restart, may have taken the claim over and have done it. */
  async function outcomeOf({ accountId, dropId, declared }: AdoptionRequest): Promise<AssetId | typeof NOT_FOUND> {
    const asset = await store.read((tx) => tx.assets.find(declared.assetId))
    return asset?.accountId === accountId && asset.drop?.dropId === dropId ? declared.assetId : NOT_FOUND
  }

  /** An exact repeat joins the one that is under way. */
  return async function adopt(request: AdoptionRequest): Promise<AssetId | AdoptionRefusal> {
    const requestHash = createHash('sha256').update(JSON.stringify(request)).digest('hex')
    const present = inFlight.get(requestHash)
    if (present !== undefined) return present
    const started = run(request, requestHash).finally(() => inFlight.delete(requestHash))
    inFlight.set(requestHash, started)
    return started
  }
}

function mismatch(declared: Declared, drop: Drop): Refuses<'adoption_mismatch'> | undefined {
  if (declared.ciphertextHash !== drop.ciphertextHash)
    return { refused: 'adoption_mismatch', detail: '/hash is not that of the drop' }
  return declared.size === drop.size
    ? undefined
    : { refused: 'adoption_mismatch', detail: '/size is not that of the drop' }
}
