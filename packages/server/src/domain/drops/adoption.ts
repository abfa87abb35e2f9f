/**
 * Turns a pending drop into the original of an asset: validate → claim → sign → one transaction with asset, receipt and
 * the drop's removal, which fails if the claim is lost (specification, Adopt, rules 1 to 3). After a crash the row
 * stays claimed until its lease has expired.
 */
import { createHash } from 'node:crypto'
import { type AccountId, type AssetId, addSeconds, type DropId, type Instant } from '@blindkeep/protocol/ids'
import { createPause, type GiveUpAfter, type Pause } from '../../ground/pause.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import { accountLock, type Drop, OutcomeUnknown, type ReadTx, type Store, type WriteTx } from '../../ports/store.ts'
import { type AssetBlobs, SlotLost } from '../assets/assetBlobs.ts'
import {
  type Declared,
  judgeAuthor,
  judgeManifest,
  type ManifestRefusal,
  type ManifestSettings,
} from '../assets/manifest.ts'
import { judgeSlot, type SlotRefusal } from '../assets/slot.ts'
import { noteChange } from '../changes/changes.ts'
import type { ReceiptLog } from '../custody/receipts.ts'
import { isDoubted, type Serving } from '../custody/servable.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'

export interface AdoptionSettings extends ManifestSettings {
  readonly adoptionLeaseSeconds: number
}

export interface AdoptionRequest {
  readonly accountId: AccountId
  readonly dropId: DropId
  /** With the role `original`. */
  readonly declared: Declared
}

export type AdoptionRefusal =
  | ManifestRefusal
  | SlotRefusal
  | Refuses<
      'drop_not_found' | 'device_not_authorized' | 'album_not_available' | 'adoption_mismatch' | 'storage_unavailable'
    >

interface Claiming {
  readonly request: AdoptionRequest
  readonly requestHash: string
  readonly claimId: string
}

interface AdoptionPorts {
  readonly store: Store
  readonly serving: Serving
  readonly clock: Clock
  readonly random: Random
  readonly receiptLog: ReceiptLog
  readonly assetBlobs: AssetBlobs
  /** Names this process. */
  readonly nodeId: string
  readonly giveUpAfter: GiveUpAfter
}

/** Between two looks at a drop that an equal request in another process adopts. */
const LOOK_MS = 200

/** While the receipt was signed, another request took the claim or discarded the drop: no receipt. */
class ClaimLost extends Error {}

/** Meanwhile a reader met wrong, missing or unreadable bytes: no receipt. */
class BytesDoubted extends Error {}

/** An equal request, in another process, has the claim or has taken it over. */
const ELSEWHERE = { refused: 'adopted_elsewhere' } as const

const NOT_FOUND = { refused: 'drop_not_found' } as const
const UNAVAILABLE = { refused: 'storage_unavailable' } as const

export type Adopt = ReturnType<typeof createAdopt>

export function createAdopt(
  { store, serving, clock, random, receiptLog, assetBlobs, nodeId, giveUpAfter }: AdoptionPorts,
  settings: AdoptionSettings,
) {
  const inFlight = new Map<string, Promise<AssetId | AdoptionRefusal>>()

  const pause = createPause(giveUpAfter)

  async function run(request: AdoptionRequest, requestHash: string): Promise<AssetId | AdoptionRefusal> {
    const { answer, hasWaited } = await untilHere(() => attempt(request, requestHash), pause)
    const isGone = isRefusal(answer) && answer.refused === 'drop_not_found'
    return hasWaited && isGone ? store.read((tx) => outcomeOf(tx, request)) : answer
  }

  async function attempt(request: AdoptionRequest, requestHash: string): Promise<Attempt> {
    const now = clock.now()
    const drop = await store.read((tx) => judge(tx, request, now, settings))
    if (isRefusal(drop)) return drop
    // A receipt may only be signed for bytes that are present now, and not in doubt.
    if (!(await serving.isWhole(drop))) return UNAVAILABLE
    const claimId = random.uuid()
    const refused = await store.write([accountLock(request.accountId)], (tx) =>
      claim(tx, { request, requestHash, claimId }),
    )
    return refused ?? settle({ request, requestHash, drop, claimId })
  }

  async function claim(
    tx: WriteTx,
    { request, requestHash, claimId }: Claiming,
  ): Promise<AdoptionRefusal | typeof ELSEWHERE | undefined> {
    const at = clock.now()
    const judged = await judge(tx, request, at, settings)
    if (isRefusal(judged)) return judged
    const leasedUntil = addSeconds(at, settings.adoptionLeaseSeconds)
    const { dropId } = request
    if (await tx.drops.claim({ dropId, claimId, requestHash, by: nodeId, at, leasedUntil })) return undefined
    return (await tx.drops.isClaimedFor(dropId, requestHash, at)) ? ELSEWHERE : NOT_FOUND
  }

  async function settle({ request, requestHash, drop, claimId }: Claimed): Promise<Attempt> {
    const { accountId, dropId, declared } = request
    const { assetId, ciphertextHash, size } = declared
    try {
      await receiptLog.append({
        accountId,
        subject: { uploadId: drop.uploadId, assetId, blobRole: 'original', ciphertextHash, size },
        async commit(tx, receivedAt) {
          if (!(await tx.drops.settle(dropId, claimId))) throw new ClaimLost()
          if (await isDoubted(tx, drop)) throw new BytesDoubted()
          await assetBlobs.adopt(tx, { accountId, declared, drop, at: receivedAt })
          await noteChange(tx, accountId, { name: 'drop.adopted', dropId, assetId }, receivedAt)
        },
      })
      return assetId
    } catch (error) {
      if (error instanceof ClaimLost)
        return store.read(async (tx) =>
          (await tx.drops.isClaimedFor(dropId, requestHash, clock.now())) ? ELSEWHERE : outcomeOf(tx, request),
        )
      const outcome = error instanceof OutcomeUnknown ? await store.read((tx) => outcomeOf(tx, request)) : NOT_FOUND
      if (!isRefusal(outcome)) return outcome
      await store.write([accountLock(accountId)], (tx) => tx.drops.unclaim(dropId, claimId))
      if (error instanceof SlotLost) return error.refusal
      if (error instanceof BytesDoubted) return UNAVAILABLE
      throw error
    }
  }

  /** An exact repeat joins the adoption in flight. */
  return async function adopt(request: AdoptionRequest): Promise<AssetId | AdoptionRefusal> {
    const requestHash = createHash('sha256').update(JSON.stringify(request)).digest('hex')
    const present = inFlight.get(requestHash)
    if (present !== undefined) return present
    const started = run(request, requestHash).finally(() => inFlight.delete(requestHash))
    inFlight.set(requestHash, started)
    return started
  }
}

async function judge(
  tx: ReadTx,
  { accountId, dropId, declared }: AdoptionRequest,
  now: Instant,
  settings: ManifestSettings,
): Promise<Drop | AdoptionRefusal> {
  const drop = await tx.drops.find(dropId)
  if (drop?.accountId !== accountId) return NOT_FOUND
  const refused =
    judgeManifest(declared, now, settings) ??
    (await judgeAuthor(tx, accountId, declared)) ??
    judgeMatch(declared, drop) ??
    (await judgeSlot(tx, { accountId, ...declared }))
  const isClaimed = drop.leasedUntil !== undefined && drop.leasedUntil > now
  // A claimed drop is hidden from every request but the one that claimed it. That one was valid when it claimed, so
  // this is another one.
  if (refused !== undefined) return isClaimed ? NOT_FOUND : refused
  // Bytes may have come into doubt since the claim, which says first whether this is the same request.
  return !isClaimed && (await isDoubted(tx, drop)) ? UNAVAILABLE : drop
}

type Attempt = AssetId | AdoptionRefusal | typeof ELSEWHERE

interface Claimed {
  readonly request: AdoptionRequest
  readonly requestHash: string
  readonly drop: Drop
  readonly claimId: string
}

function isElsewhere(answer: Attempt): answer is typeof ELSEWHERE {
  return answer === ELSEWHERE
}

/** While another process adopts the drop for an equal request: waits for its outcome, or its lease's end. */
async function untilHere(
  attempt: () => Promise<Attempt>,
  pause: Pause,
): Promise<{ readonly answer: AssetId | AdoptionRefusal; readonly hasWaited: boolean }> {
  for (let hasWaited = false; ; hasWaited = true) {
    const answer = await attempt()
    if (!isElsewhere(answer)) return { answer, hasWaited }
    await pause(LOOK_MS)
  }
}

/** A repeat after a restart, or in another process, may have taken the claim and completed the adoption. */
async function outcomeOf(
  tx: ReadTx,
  { accountId, dropId, declared }: AdoptionRequest,
): Promise<AssetId | typeof NOT_FOUND> {
  const asset = await tx.assets.find(declared.assetId)
  return asset?.accountId === accountId && asset.drop?.dropId === dropId ? declared.assetId : NOT_FOUND
}

function judgeMatch(declared: Declared, drop: Drop): Refuses<'adoption_mismatch'> | undefined {
  if (declared.ciphertextHash !== drop.ciphertextHash)
    return { refused: 'adoption_mismatch', detail: '/hash differs from the hash of the drop' }
  return declared.size === drop.size
    ? undefined
    : { refused: 'adoption_mismatch', detail: '/size differs from the size of the drop' }
}
