/** Half of an owner's load (owner.ts reads the inbox): adopts, uploads, deletes and verifies. */
import { inspect } from 'node:util'
import { pause } from '../api.ts'
import { byWeight, type GuestPorts } from '../guest.ts'
import type { Asset, Attempt, Owner } from '../ledger.ts'
import type { OwnerPorts } from '../owner.ts'
import type { Random } from '../random.ts'
import { isAdoptionOpen, lookForAdoption, planAdoption, sendAdoption, settleAdoption } from './adopt.ts'
import { acknowledgedBlobsOf, blobsOf, isUnfinished, isUnsettled, newAsset } from './assetLedger.ts'
import { compareAsset, fetchAssetReceipts } from './compare.ts'
import { removeAsset } from './remove.ts'
import { type OwnUpload, ownBlob, uploadBlob } from './uploadBlob.ts'
import { askedOf, compareDurable, unknownHash, verify } from './verify.ts'

export type OwnerAssetsPorts = GuestPorts & OwnerPorts

const ACTIONS = ['adopt', 'replace by a drop', 'upload', 'replace', 'complete', 'delete', 'verify', 'look'] as const
type Action = (typeof ACTIONS)[number]
const WEIGHTS: Readonly<Record<Action, number>> = {
  adopt: 34,
  'replace by a drop': 8,
  upload: 12,
  replace: 4,
  complete: 10,
  delete: 12,
  verify: 14,
  look: 6,
}

const MIN_BLOB_BYTES = 17
const MAX_BLOB_BYTES = 400_000
const MAX_DEEP_BYTES = 2 * 1024 * 1024
const MAX_VERIFIED_AT_ONCE = 6
const GIVEN_UP_SHARE = 0.25

/** One action at a time, so that the possible outcomes of an unsettled request stay known. */
export async function runOwnerAssets(
  ports: OwnerAssetsPorts,
  owner: Owner,
  random: Random,
  isStopping: () => boolean,
): Promise<void> {
  for (let index = 0; !isStopping(); index++) {
    const own = random.fork(String(index))
    try {
      await settleSome(ports, owner, own)
      await act({ ports, owner, random: own }, actionOf(ports, owner, own))
    } catch (error) {
      if (!ports.api.isClosed()) ports.ledger.fault(`an owner’s assets: ${inspect(error)}`)
    }
    await pause(own.integer(10, 150))
  }
}

/** Repeats every unsettled request until its outcome is known. */
export async function settleAll(ports: OwnerAssetsPorts, owner: Owner): Promise<void> {
  for (const attempt of ports.ledger.attempts)
    if (attempt.link.owner === owner && isAdoptionOpen(attempt)) await settleAdoption(ports, attempt)
  for (const asset of assetsOf(ports, owner)) {
    while (asset.deleted === 'asked') await removeAsset(ports, asset)
    for (const upload of unfinishedOf(asset)) await uploadBlob(ports, upload, { chunkBytes: upload.blob.size })
  }
}

interface Turn {
  readonly ports: OwnerAssetsPorts
  readonly owner: Owner
  readonly random: Random
}

function assetsOf({ ledger }: OwnerAssetsPorts, owner: Owner): readonly Asset[] {
  return ledger.assets.filter((asset) => asset.owner === owner)
}

/** Assets that hold blobs, with no unsettled request. */
function settledOf(ports: OwnerAssetsPorts, owner: Owner): readonly Asset[] {
  return assetsOf(ports, owner).filter((asset) => !isUnsettled(asset) && acknowledgedBlobsOf(asset).length > 0)
}

function unfinishedOf(asset: Asset): readonly OwnUpload[] {
  const bundle = asset.bundles.at(-1)
  if (bundle === undefined || asset.deleted !== 'no') return []
  return blobsOf(bundle)
    .filter(isUnfinished)
    .map((blob) => ({ asset, bundle, blob }))
}

/** After a missing answer: repeats, asks, tries another adoption, or leaves it for later. */
async function settleSome(ports: OwnerAssetsPorts, owner: Owner, random: Random): Promise<void> {
  const open = ports.ledger.attempts.filter((attempt) => attempt.link.owner === owner && isAdoptionOpen(attempt))
  for (const attempt of open) {
    if (random.chance(0.5)) continue
    if (random.chance(0.3) && (await lookForAdoption(ports, attempt))) continue
    // Into another asset, which the server refuses while the first adoption’s lease is live.
    if (random.chance(0.3)) planAdoption(ports, attempt, newAsset(owner))
    await settleAdoption(ports, attempt)
  }
  for (const asset of assetsOf(ports, owner))
    if (asset.deleted === 'asked' && random.chance(0.5)) await removeAsset(ports, asset)
}

function actionOf(ports: OwnerAssetsPorts, owner: Owner, random: Random): Action {
  const kept = settledOf(ports, owner).flatMap(acknowledgedBlobsOf)
  const isFull = kept.reduce((sum, { size }) => sum + size, 0) > ports.pendingBytesTarget
  return isFull ? 'delete' : byWeight(ACTIONS, (action) => WEIGHTS[action], random)
}

async function act(turn: Turn, action: Action): Promise<void> {
  const { ports, owner, random } = turn
  const settled = settledOf(ports, owner)
  const whole = settled.filter((asset) => unfinishedOf(asset).length === 0)
  switch (action) {
    case 'adopt':
      return adoptOne(turn, newAsset(owner))
    case 'replace by a drop':
      return whole.length === 0 ? undefined : adoptOne(turn, random.pick(whole))
    case 'upload':
      return uploadOne(turn, newAsset(owner))
    case 'replace':
      return whole.length === 0 ? undefined : uploadOne(turn, random.pick(whole))
    case 'complete':
      return complete(turn)
    case 'delete':
      return settled.length === 0 ? undefined : removeAsset(ports, random.pick(settled))
    case 'verify':
      return verifySome(turn)
    case 'look':
      if (settled.length > 0) await compareAsset(ports, random.pick(settled))
      if (settled.length > 0) await fetchAssetReceipts(ports, random.pick(settled))
  }
}

async function adoptOne({ ports, owner, random }: Turn, asset: Asset): Promise<void> {
  const pending = ports.ledger.attempts.filter((attempt) => isAdoptable(attempt, owner))
  if (pending.length === 0) return
  const adoption = planAdoption(ports, random.pick(pending), asset)
  await sendAdoption(ports, adoption)
}

function isAdoptable({ link, landed, dropId, discarded, adoptions }: Attempt, owner: Owner): boolean {
  const isThere = landed === 'acknowledged' && dropId !== undefined && discarded !== 'acknowledged'
  return link.owner === owner && isThere && adoptions.length === 0
}

/** Uploads an original, sometimes its metadata. Replacements are finished: their landing deletes blobs. */
async function uploadOne(turn: Turn, asset: Asset): Promise<void> {
  const { ports, random } = turn
  const action = asset.bundles.length === 0 ? ('create' as const) : ('replace' as const)
  const bundle = { action, original: randomBlob('original', random), metadata: undefined }
  if (action === 'create') ports.ledger.assets.push(asset)
  asset.bundles.push(bundle)
  await send(turn, { asset, bundle, blob: bundle.original }, action === 'create')
  if (bundle.original.landed === 'acknowledged' && random.chance(0.6)) await addMetadata(turn, asset)
}

/** Resumes an abandoned upload, or adds the metadata that an adopted drop lacks. */
async function complete(turn: Turn): Promise<void> {
  const { ports, owner, random } = turn
  const unfinished = assetsOf(ports, owner).flatMap(unfinishedOf)
  const bare = settledOf(ports, owner).filter(({ bundles }) => bundles.at(-1)?.metadata === undefined)
  if (unfinished.length > 0 && random.chance(0.7)) await send(turn, random.pick(unfinished), true)
  else if (bare.length > 0) await addMetadata(turn, random.pick(bare))
}

async function addMetadata(turn: Turn, asset: Asset): Promise<void> {
  const bundle = asset.bundles.at(-1)
  if (bundle === undefined) return
  bundle.metadata = randomBlob('metadata', turn.random)
  await send(turn, { asset, bundle, blob: bundle.metadata }, true)
}

function randomBlob(role: 'original' | 'metadata', random: Random) {
  return ownBlob(role, `own ${random.hex(8)}`, random.integer(MIN_BLOB_BYTES, MAX_BLOB_BYTES))
}

async function send({ ports, random }: Turn, upload: OwnUpload, mayGiveUp: boolean): Promise<void> {
  const isGivenUp = mayGiveUp && random.chance(GIVEN_UP_SHARE)
  const chunkBytes = Math.ceil(upload.blob.size / (isGivenUp ? 3 : random.integer(1, 3)))
  await uploadBlob(ports, upload, isGivenUp ? { chunkBytes, upTo: chunkBytes } : { chunkBytes })
}

/** Verifies existing, unsettled and deleted assets, sometimes with one hash that none of them has. */
async function verifySome({ ports, owner, random }: Turn): Promise<void> {
  const assets = assetsOf(ports, owner)
  if (assets.length === 0) return
  const picked = Array.from({ length: random.integer(1, MAX_VERIFIED_AT_ONCE) }, () => random.pick(assets)).map(askedOf)
  const asked = picked.map((each) => (random.chance(0.1) ? { ...each, hashes: [...each.hashes, unknownHash()] } : each))
  const bytes = asked.flatMap(({ asset }) => acknowledgedBlobsOf(asset)).reduce((sum, { size }) => sum + size, 0)
  const deep = bytes < MAX_DEEP_BYTES && random.chance(0.5)
  const verdicts = await verify(ports, asked, { owner, deep })
  if (verdicts !== undefined && random.chance(0.3)) await compareDurable(ports, verdicts, owner)
}
