import type { AccountId, AssetId, DropId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { ManifestAction } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { sum } from './model.ts'

/** What should be so of uploads, adoptions and assets, in plain objects: the reference that random runs of the rules are held against. */
export const HARD_BYTES = 9000
const DAY_MS = 86_400_000

export interface ModelBlob {
  readonly role: BlobRole
  readonly hash: Sha256Hex
  readonly size: number
  readonly action: ManifestAction
  /** Which provenance it goes on from. */
  readonly prior: Sha256Hex | undefined
  /** Which original it says that it belongs to. */
  readonly word: Sha256Hex | undefined
  /** What manifest and original have to say alike. */
  readonly amkVersion: number
}

export interface ModelAsset {
  readonly assetId: AssetId
  /** Whose id it is, also while it is merely reserved. */
  owner: AccountId | undefined
  blobs: ModelBlob[]
  drop: DropId | undefined
  isDeleted: boolean
  receipts: number
}

type Said = 'action' | 'prior' | 'word' | 'amkVersion'

/** What is said of it may be said anew as long as it is open. */
type ModelSession = Omit<ModelBlob, Said> & { -readonly [Name in Said]: ModelBlob[Name] } & {
  readonly uploadId: UploadId
  readonly asset: ModelAsset
  readonly owner: AccountId
  readonly content: Uint8Array
  /** What it comes to if there is a place for it. */
  readonly outcome: 'landed' | 'content_hash_wrong' | 'manifest_mismatch'
  readonly createdAt: number
  declaredAt: number
  state: 'open' | 'landed' | 'failed' | 'ended'
  sent: number
  lastChunkAt: number | undefined
}

interface ModelDrop {
  readonly dropId: DropId
  readonly owner: AccountId
  readonly hash: Sha256Hex
  readonly size: number
}

export class AssetModel {
  now = 0
  readonly accounts: AccountId[] = []
  readonly assets: ModelAsset[] = []
  readonly sessions: ModelSession[] = []
  drops: ModelDrop[] = []
  /** Since when each object has been nobody’s. */
  orphaned = 0
  /** When the collector saw that they are nobody's. */
  marked: number[] = []

  open(asset?: ModelAsset): readonly ModelSession[] {
    return this.sessions.filter((session) => session.state === 'open' && (asset ?? session.asset) === session.asset)
  }

  used(owner: AccountId): number {
    const blobs = this.assets.filter((asset) => asset.owner === owner).flatMap((asset) => asset.blobs)
    const charged = [...blobs, ...this.drops, ...this.open()].filter((row) => !('owner' in row) || row.owner === owner)
    return sum(charged.map(({ size }) => size))
  }

  /** What is there of this asset that this account may see. */
  seen(asset: ModelAsset, owner: AccountId): readonly ModelBlob[] | undefined {
    return asset.owner === owner && !asset.isDeleted && asset.blobs.length > 0 ? asset.blobs : undefined
  }

  /** The code that asking for a session gets, or what it opens. */
  answer(asset: ModelAsset, owner: AccountId, wanted: ModelBlob): string {
    const isSame = (blob: ModelBlob) => blob.role === wanted.role && blob.hash === wanted.hash
    const isOwn = asset.owner === owner && !asset.isDeleted
    if (isOwn && asset.blobs.some(isSame)) return 'present'
    const coming = isOwn ? this.open(asset).find(isSame) : undefined
    if (coming !== undefined) return this.sayAnew(coming, wanted)
    const refused = this.place(asset, owner, wanted)
    return refused ?? (this.used(owner) + wanted.size > HARD_BYTES ? 'quota_exceeded' : 'opened')
  }

  /** An open session goes on under what was said of it last, if there is a place for that. */
  sayAnew(session: ModelSession, wanted: ModelBlob): string {
    const { action, prior, word, amkVersion } = wanted
    const isUnchanged =
      session.declaredAt === this.now &&
      [session.action, session.prior, session.word, session.amkVersion].join() ===
        [action, prior, word, amkVersion].join()
    const refused = isUnchanged ? undefined : this.place(session.asset, session.owner, wanted, session)
    if (refused !== undefined) return refused
    Object.assign(session, { action, prior, word, amkVersion, declaredAt: this.now })
    return 'present'
  }

  /** Why there is no place for this blob, which is not yet counted among those on their way. */
  place(asset: ModelAsset, owner: AccountId, wanted: ModelBlob, self: ModelBlob = wanted): string | undefined {
    if (asset.isDeleted || (asset.owner !== undefined && asset.owner !== owner)) return 'asset_id_taken'
    const coming = this.open(asset).filter((session) => session !== self)
    const all = [...asset.blobs, ...coming]
    const isThere = (role: BlobRole) => all.some((blob) => blob.role === role)
    const original = asset.blobs.find(({ role }) => role === 'original')
    if (wanted.role === 'original' && wanted.action === 'create') {
      const isAwaited = all.every(({ word }) => word === undefined || word === wanted.hash)
      if (isThere('original') || !isAwaited) return 'asset_id_taken'
      const proof = asset.blobs.find(({ role }) => role === 'provenance')
      return (proof ?? wanted).amkVersion === wanted.amkVersion ? undefined : 'manifest_stale'
    }
    if (wanted.role === 'original') {
      if (coming.some(({ role }) => role === 'original')) return 'asset_id_taken'
      const position = asset.blobs.find(({ role }) => role === 'provenance')?.hash
      return original === undefined || wanted.prior !== position ? 'manifest_stale' : undefined
    }
    if (wanted.role !== 'derivative' && isThere(wanted.role)) return 'asset_id_taken'
    if (original === undefined && wanted.action === 'replace') return 'manifest_stale'
    const { word } = wanted
    const isProof = wanted.role === 'provenance'
    if (original === undefined && isProof && word === undefined) return 'manifest_stale'
    if (original === undefined) {
      const named = all.map((blob) => (blob.role === 'original' ? blob.hash : blob.word))
      const isOther = word !== undefined && named.some((hash) => hash !== undefined && hash !== word)
      return isOther ? 'asset_id_taken' : undefined
    }
    const isSame = !isProof || original.amkVersion === wanted.amkVersion
    const goesOn = isSame && original.action === wanted.action && original.prior === wanted.prior
    return goesOn && (word ?? original.hash) === original.hash ? undefined : 'manifest_stale'
  }

  take(asset: ModelAsset, owner: AccountId, blob: ModelBlob, receipts: number): void {
    if (blob.action === 'replace' && blob.role === 'original') {
      this.drop(asset)
      for (const session of this.open(asset)) if (session !== blob) this.close(session, 'ended')
    }
    asset.owner = owner
    asset.blobs.push(blob)
    asset.receipts += receipts
  }

  /** Lets go of all that an asset holds. */
  drop(asset: ModelAsset): void {
    this.orphaned += asset.blobs.length
    asset.blobs = []
    asset.drop = undefined
  }

  close(session: ModelSession, state: 'landed' | 'failed' | 'ended'): void {
    session.state = state
    const { asset } = session
    if (asset.blobs.length === 0 && !asset.isDeleted && this.open(asset).length === 0) asset.owner = undefined
  }

  bury(asset: ModelAsset): void {
    this.drop(asset)
    asset.isDeleted = true
    for (const session of this.open(asset)) this.close(session, 'ended')
  }

  sweep(): void {
    for (const session of this.open()) {
      const { createdAt, lastChunkAt } = session
      const isIdle = lastChunkAt === undefined ? createdAt < this.now - 900_000 : lastChunkAt < this.now - DAY_MS
      if (isIdle || createdAt < this.now - 7 * DAY_MS) this.close(session, 'ended')
    }
    this.marked = [...this.marked, ...Array.from({ length: this.orphaned }, () => this.now)].filter(
      (since) => since >= this.now - DAY_MS,
    )
    this.orphaned = 0
  }
}
