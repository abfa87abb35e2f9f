import type { AccountId, AssetId, DropId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { ManifestAction } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { sum } from './model.ts'

/** A simple model of uploads, adoptions and assets. Random runs compare the rules with it. */
export const HARD_BYTES = 9000
const DAY_MS = 86_400_000

export interface ModelBlob {
  readonly role: BlobRole
  readonly hash: Sha256Hex
  readonly size: number
  readonly action: ManifestAction
  /** The provenance that it continues from. */
  readonly prior: Sha256Hex | undefined
  /** The original that its manifest names. */
  readonly namedOriginal: Sha256Hex | undefined
  /** Of a manifest: the metadata that it names. */
  readonly namedMetadata: Sha256Hex | undefined
  /** Must be equal in the manifest and the original. */
  readonly amkVersion: number
}

export interface ModelAsset {
  readonly assetId: AssetId
  /** The owner of the id, also while it is only reserved. */
  owner: AccountId | undefined
  /** In the order of landing. */
  blobs: ModelBlob[]
  /** Metadata that wait for the manifest that names them. */
  waiting: (ModelBlob & { readonly landedAt: number }) | undefined
  drop: DropId | undefined
  isDeleted: boolean
  receipts: number
}

type Redeclarable = 'action' | 'prior' | 'namedOriginal' | 'namedMetadata' | 'amkVersion'

/** While it is open, its owner may declare these values again. */
type ModelSession = Omit<ModelBlob, Redeclarable> & { -readonly [Name in Redeclarable]: ModelBlob[Name] } & {
  readonly uploadId: UploadId
  readonly asset: ModelAsset
  readonly owner: AccountId
  readonly content: Uint8Array
  /** How it ends when there is a slot for it. */
  readonly outcome: 'landed' | 'content_hash_wrong' | 'manifest_mismatch'
  readonly createdAt: number
  declaredAt: number
  state: 'open' | 'landed' | 'failed' | 'ended'
  sent: number
  lastChunkAt: number | undefined
  closedAt: number | undefined
}

interface ModelDrop {
  readonly dropId: DropId
  readonly owner: AccountId
  readonly hash: Sha256Hex
  readonly size: number
}

/** What was discarded or deleted. */
interface ModelEntry {
  readonly owner: AccountId
  readonly size: number
  readonly deletedAt: number
  readonly objects: number
  /** When the collector marked its objects. */
  markedAt: number | undefined
  readonly comesBack: () => void
}

export class AssetModel {
  now = 0
  readonly accounts: AccountId[] = []
  readonly assets: ModelAsset[] = []
  readonly sessions: ModelSession[] = []
  drops: ModelDrop[] = []
  /** By the id of the drop or asset. */
  readonly bin = new Map<string, ModelEntry>()
  /** The number of objects without an owner that have no mark yet. */
  orphaned = 0
  /** When the collector marked each object. */
  marked: number[] = []
  /** The order in which blobs landed. */
  readonly landings = new Map<ModelBlob, number>()

  open(asset?: ModelAsset): readonly ModelSession[] {
    return this.sessions.filter((session) => session.state === 'open' && (asset ?? session.asset) === session.asset)
  }

  used(owner: AccountId): number {
    const blobs = this.assets.filter((asset) => asset.owner === owner).flatMap(keptOf)
    const charged = [...blobs, ...this.drops, ...this.open(), ...this.bin.values()].filter(
      (row) => !('owner' in row) || row.owner === owner,
    )
    return sum(charged.map(({ size }) => size))
  }

  /** The blobs of this asset that this account may see. */
  seen(asset: ModelAsset, owner: AccountId): readonly ModelBlob[] | undefined {
    return asset.owner === owner && !asset.isDeleted && asset.blobs.length > 0 ? asset.blobs : undefined
  }

  /** The answer to a request for a session: a reason, `present` or `opened`. */
  answer(asset: ModelAsset, owner: AccountId, wanted: ModelBlob): string {
    const isSame = (blob: ModelBlob) => blob.role === wanted.role && blob.hash === wanted.hash
    const isOwn = asset.owner === owner && !asset.isDeleted
    if (isOwn && keptOf(asset).some(isSame)) return 'present'
    const coming = isOwn ? this.open(asset).find(isSame) : undefined
    if (coming !== undefined) return this.redeclare(coming, wanted)
    const refused = this.slotRefusal(asset, owner, wanted)
    return refused ?? (this.used(owner) + wanted.size > HARD_BYTES ? 'quota_exceeded' : 'opened')
  }

  /** An open session takes the last declaration if there is a slot for it. */
  redeclare(session: ModelSession, wanted: ModelBlob): string {
    const { action, prior, namedOriginal, namedMetadata, amkVersion } = wanted
    const isUnchanged =
      session.declaredAt === this.now &&
      [session.action, session.prior, session.namedOriginal, session.namedMetadata, session.amkVersion].join() ===
        [action, prior, namedOriginal, namedMetadata, amkVersion].join()
    const refused = isUnchanged ? undefined : this.slotRefusal(session.asset, session.owner, wanted, session)
    if (refused !== undefined) return refused
    Object.assign(session, { action, prior, namedOriginal, namedMetadata, amkVersion, declaredAt: this.now })
    return 'present'
  }

  /** The reason why there is no slot for this blob. `self` is not counted among the open sessions. */
  slotRefusal(asset: ModelAsset, owner: AccountId, wanted: ModelBlob, self: ModelBlob = wanted): string | undefined {
    if (asset.isDeleted || (asset.owner !== undefined && asset.owner !== owner)) return 'asset_id_taken'
    const coming = this.open(asset).filter((session) => session !== self)
    const all = [...asset.blobs, ...coming]
    const isThere = (role: BlobRole) => all.some((blob) => blob.role === role)
    const original = asset.blobs.find(({ role }) => role === 'original')
    if (wanted.role === 'original' && wanted.action === 'create') {
      const isAwaited = all.every(({ namedOriginal }) => namedOriginal === undefined || namedOriginal === wanted.hash)
      if (isThere('original') || !isAwaited) return 'asset_id_taken'
      const proof = asset.blobs.find(({ role }) => role === 'provenance')
      return (proof ?? wanted).amkVersion === wanted.amkVersion ? undefined : 'manifest_stale'
    }
    if (wanted.role === 'original') {
      if (coming.some(({ role }) => role === 'original')) return 'asset_id_taken'
      const position = asset.blobs.find(({ role }) => role === 'provenance')?.hash
      return original === undefined || wanted.prior !== position ? 'manifest_stale' : undefined
    }
    if (isRenewal(asset, wanted)) return renewalRefusal(asset, wanted)
    if (wanted.role !== 'derivative' && isThere(wanted.role)) return 'asset_id_taken'
    const metadata = wanted.role === 'metadata' ? wanted : blobOf(asset, 'metadata')
    const named = (wanted.role === 'provenance' ? wanted : blobOf(asset, 'provenance'))?.namedMetadata
    const isMetadataWrong = metadata !== undefined && named !== undefined && named !== metadata.hash
    if (wanted.role !== 'derivative' && isMetadataWrong) return 'manifest_stale'
    if (original === undefined && wanted.action === 'replace') return 'manifest_stale'
    const { namedOriginal } = wanted
    const isProof = wanted.role === 'provenance'
    if (original === undefined && isProof && namedOriginal === undefined) return 'manifest_stale'
    if (original === undefined) {
      const named = all.map((blob) => (blob.role === 'original' ? blob.hash : blob.namedOriginal))
      const isOther = namedOriginal !== undefined && named.some((hash) => hash !== undefined && hash !== namedOriginal)
      return isOther ? 'asset_id_taken' : undefined
    }
    const isSame = !isProof || original.amkVersion === wanted.amkVersion
    const steps = [original, blobOf(asset, 'provenance') ?? original]
    const continues = isSame && steps.some((step) => step.action === wanted.action && step.prior === wanted.prior)
    return continues && (namedOriginal ?? original.hash) === original.hash ? undefined : 'manifest_stale'
  }

  take(asset: ModelAsset, owner: AccountId, blob: ModelBlob, receipts: number): void {
    this.landings.set(blob, this.landings.size)
    if (isRenewal(asset, blob)) {
      this.renew(asset, blob)
      asset.receipts += receipts
      return
    }
    if (blob.action === 'replace' && blob.role === 'original') {
      this.release(asset)
      for (const session of this.open(asset)) if (session !== blob) this.close(session, 'ended')
    }
    asset.owner = owner
    asset.blobs.push(blob)
    asset.receipts += receipts
  }

  renew(asset: ModelAsset, blob: ModelBlob): void {
    const { waiting } = asset
    asset.waiting = undefined
    if (blob.role === 'metadata') {
      this.orphaned += waiting === undefined ? 0 : 1
      asset.waiting = { ...blob, landedAt: this.now }
      this.landings.set(asset.waiting, this.landings.size)
      return
    }
    const isNamed = ({ hash }: ModelBlob) => hash === blob.namedMetadata
    const all = waiting === undefined ? asset.blobs : [...asset.blobs, waiting]
    const stay = all.filter((one) => one.role !== 'provenance' && (one.role !== 'metadata' || isNamed(one)))
    this.orphaned += all.length - stay.length
    const order = (one: ModelBlob) => this.landings.get(one) ?? 0
    asset.blobs = [...stay, blob].toSorted((one, other) => order(one) - order(other))
  }

  /** Releases all blobs of an asset. */
  release(asset: ModelAsset): void {
    this.orphaned += keptOf(asset).length
    asset.blobs = []
    asset.waiting = undefined
    asset.drop = undefined
  }

  close(session: ModelSession, state: 'landed' | 'failed' | 'ended'): void {
    session.state = state
    session.closedAt = this.now
    const { asset } = session
    if (asset.blobs.length === 0 && !asset.isDeleted && this.open(asset).length === 0) asset.owner = undefined
  }

  deleteAsset(asset: ModelAsset, owner: AccountId): void {
    const { blobs, waiting, drop } = asset
    const kept = keptOf(asset)
    const comesBack = () => Object.assign(asset, { blobs, waiting, drop, isDeleted: false })
    this.release(asset)
    asset.isDeleted = true
    for (const session of this.open(asset)) this.close(session, 'ended')
    const size = sum(kept.map((blob) => blob.size))
    this.putInBin(asset.assetId, { owner, size, objects: kept.length, comesBack })
  }

  discard(drop: ModelDrop): void {
    this.drops = this.drops.filter((other) => other !== drop)
    this.orphaned += 1
    const { dropId, owner, size } = drop
    this.putInBin(dropId, { owner, size, objects: 1, comesBack: () => this.drops.push(drop) })
  }

  putInBin(id: string, entry: Omit<ModelEntry, 'deletedAt' | 'markedAt'>): void {
    this.bin.set(id, { ...entry, deletedAt: this.now, markedAt: undefined })
  }

  /** The reason why it cannot be restored. */
  restore(id: string): string | undefined {
    const entry = this.bin.get(id)
    if (entry === undefined || this.now >= entry.deletedAt + DAY_MS) return 'bin_entry_not_found'
    this.bin.delete(id)
    entry.comesBack()
    if (entry.markedAt === undefined) this.orphaned -= entry.objects
    else for (let left = entry.objects; left > 0; left -= 1) this.marked.splice(this.marked.indexOf(entry.markedAt), 1)
    return undefined
  }

  sweep(): void {
    for (const [id, entry] of this.bin) {
      entry.markedAt ??= this.now
      if (this.now >= entry.deletedAt + DAY_MS) this.bin.delete(id)
    }
    for (const session of this.sessions) {
      // After a day, a session that failed looks like one that ended.
      const isOld = session.closedAt !== undefined && session.closedAt < this.now - DAY_MS
      if (isOld && session.state === 'failed') session.state = 'ended'
    }
    for (const session of this.open()) {
      const { createdAt, lastChunkAt } = session
      const isIdle = lastChunkAt === undefined ? createdAt < this.now - 900_000 : lastChunkAt < this.now - DAY_MS
      if (isIdle || createdAt < this.now - 7 * DAY_MS) this.close(session, 'ended')
    }
    this.marked = [...this.marked, ...Array.from({ length: this.orphaned }, () => this.now)].filter(
      (since) => since >= this.now - DAY_MS,
    )
    this.orphaned = 0
    for (const asset of this.assets) {
      if (asset.waiting === undefined || asset.waiting.landedAt >= this.now - DAY_MS) continue
      asset.waiting = undefined
      this.orphaned += 1
    }
  }
}

/** The blobs of an asset that are charged. */
export function keptOf({ blobs, waiting }: ModelAsset): readonly ModelBlob[] {
  return waiting === undefined ? blobs : [...blobs, waiting]
}

const blobOf = ({ blobs }: ModelAsset, wanted: BlobRole) => blobs.find(({ role }) => role === wanted)

/** Metadata or a manifest in another step than the present original that they name, beside a manifest. */
function isRenewal(asset: ModelAsset, { role, action, prior, namedOriginal }: ModelBlob): boolean {
  const original = blobOf(asset, 'original')
  if ((role !== 'metadata' && role !== 'provenance') || action !== 'replace' || original === undefined) return false
  const isSameStep = original.action === action && original.prior === prior
  return namedOriginal === original.hash && !isSameStep && blobOf(asset, 'provenance') !== undefined
}

function renewalRefusal(asset: ModelAsset, wanted: ModelBlob): string | undefined {
  if (wanted.prior !== blobOf(asset, 'provenance')?.hash) return 'manifest_stale'
  if (wanted.role === 'metadata') return undefined
  const isNamed = keptOf(asset).some(({ role, hash }) => role === 'metadata' && hash === wanted.namedMetadata)
  return isNamed && blobOf(asset, 'original')?.amkVersion === wanted.amkVersion ? undefined : 'manifest_stale'
}
