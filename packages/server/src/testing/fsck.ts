import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountId, AssetId, UploadId } from '@blindkeep/protocol/ids'
import type { ReadableObjects } from '../domain/fsck/files.ts'
import type { Finding } from '../domain/fsck/finding.ts'
import { examine } from '../domain/fsck/fsck.ts'
import { type Examination, newCounts } from '../domain/fsck/options.ts'
import { createVerifiers } from '../domain/fsck/verifiers.ts'
import type { Drop, Store } from '../ports/store.ts'
import { ofOriginal, openBlob } from './assetSessions.ts'
import { type AlbumOwner, adopt, declaredFor, landBlob, newAlbumOwner, newAssetId, newDrop } from './assets.ts'
import { append, bytes, never, newLink, notRefused, openDrop } from './guest.ts'
import { defined, type World } from './world.ts'

/** A world with rows in each state. `locations` are its own files, as it shares the directory with other worlds. */
export interface Filled {
  readonly world: World
  readonly albumOwner: AlbumOwner
  readonly pending: Drop
  readonly adopted: Drop
  /** Holds an adopted drop and a metadata blob. */
  readonly asset: AssetId
  readonly metadata: UploadId
  /** A guest's session with half its bytes. */
  readonly open: UploadId
  /** An owner's session for another asset. */
  readonly coming: UploadId
  readonly cancelled: UploadId
  readonly deletedAsset: AssetId
  readonly deletedBlob: UploadId
  /** Locations, by session. */
  readonly locations: ReadonlyMap<string, string>
}

export const FILLED_BYTES = 100

/** A pending drop, an asset of a drop with metadata, open and cancelled sessions, a deleted asset for the collector. */
export async function fill(world: World, owner?: AccountId): Promise<Filled> {
  const albumOwner = await newAlbumOwner(world, owner)
  const pending = await newDrop(world, albumOwner, bytes(FILLED_BYTES))
  world.clock.advance(1)
  const original = bytes(FILLED_BYTES)
  const adopted = await newDrop(world, albumOwner, original)
  const asset = notRefused(await adopt(world, albumOwner, adopted, declaredFor(world, albumOwner, original)))
  const metadata = await landBlob(world, albumOwner, bytes(FILLED_BYTES), {
    assetId: asset,
    ...ofOriginal('metadata', original),
  })
  world.clock.advance(1)
  const half = bytes(FILLED_BYTES)
  const opaqueId = await newLink(world, { maxFileCount: 3 }, albumOwner.accountId)
  const open = await openDrop(world, opaqueId, half)
  await append(world, open, { offset: 0, bytes: half.subarray(0, FILLED_BYTES / 2) })
  const cancelled = await openDrop(world, opaqueId, bytes(FILLED_BYTES))
  const coming = await openBlob(world, albumOwner, bytes(FILLED_BYTES))
  const deletedAsset = newAssetId()
  const deletedBlob = await landBlob(world, albumOwner, bytes(FILLED_BYTES), { assetId: deletedAsset })
  await world.store.write([], async (tx) => {
    const session = defined(await tx.uploads.find(cancelled))
    await world.rules.ending.close(tx, session, { from: 'open', to: 'ended', at: world.clock.now() })
  })
  notRefused(await world.rules.assets.remove(albumOwner.accountId, deletedAsset))
  const sessions = [pending.uploadId, adopted.uploadId, metadata, open, cancelled, coming, deletedBlob]
  const locations = new Map<string, string>()
  for (const uploadId of sessions) {
    const row = await world.store.read((tx) => tx.uploads.find(uploadId))
    locations.set(uploadId, defined(row).location)
  }
  return {
    world,
    albumOwner,
    pending,
    adopted,
    asset,
    metadata,
    open,
    coming,
    cancelled,
    deletedAsset,
    deletedBlob,
    locations,
  }
}

/** Lists the files of this world alone. */
function ownFiles({ world, locations }: Pick<Filled, 'world' | 'locations'>): ReadableObjects {
  const own = new Set(locations.values())
  const { blobs } = world
  return {
    size: blobs.size,
    digest: blobs.digest,
    read: blobs.read,
    check: blobs.check,
    async *list() {
      for (const location of own) if (existsSync(join(world.blobsDirectory, location))) yield location
    },
  }
}

/** All findings of fsck in a store with these files. */
export async function findingsIn(
  store: Pick<Store, 'read'>,
  {
    filled,
    list,
    ...overrides
  }: {
    readonly filled: Pick<Filled, 'world' | 'locations'>
    /** Replaces the list of files. */
    readonly list?: ReadableObjects['list']
  } & Partial<Examination>,
): Promise<readonly Finding[]> {
  const objects = { ...ownFiles(filled), ...(list && { list }) }
  const ports = { store, objects, clock: filled.world.clock, verify: createVerifiers() }
  const findings: Finding[] = []
  const examination = { deep: false, isUnpruned: true, signal: never, counts: newCounts(), ...overrides }
  for await (const finding of examine(ports, examination)) findings.push(finding)
  return findings
}
