/**
 * Plants millions of blobs in minutes: their rows go straight into the server's tables, and their files are hard links
 * to a few files. They have no receipts, as two signatures for each would take hours, and no sessions, as if those were
 * pruned long ago. `fsck` checks the rest, up to a million blobs: of 10 million SQLite's own check of the database
 * alone takes longer than the measurement. The hash of a blob is random and not that of its bytes: only an examination
 * of the bytes would see it.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type AccountId,
  type AlbumId,
  type AssetId,
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseSha256Hex,
  parseUploadId,
} from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { openFilesystemBlobs } from '../packages/server/src/adapters/filesystem/blobs.ts'
import { openSqliteStore } from '../packages/server/src/adapters/sql/sqlite/store.ts'
import { systemClock } from '../packages/server/src/adapters/system/clock.ts'
import { examine } from '../packages/server/src/domain/fsck/fsck.ts'
import { newCounts } from '../packages/server/src/domain/fsck/options.ts'
import { createVerifiers } from '../packages/server/src/domain/fsck/verifiers.ts'
import { locationOf } from '../packages/server/src/domain/ground/location.ts'
import type { RunningServer } from '../testing/startServer.ts'
import { parsed } from './ids.ts'
import { inserting } from './insertion.ts'
import { newAlbum, newOwner, type Owner } from './owner.ts'
import { databasePathOf, manifestOf, type PlantedAsset, ROLES } from './plantedAssets.ts'

export const BLOBS_OF_ASSET = ROLES.length
const BLOB_BYTES = 64
/** A file has at most 65,000 names on ext4. */
const NAMES_OF_FILE = 60_000
const ASSETS_AT_ONCE = 20_000
const MAX_CHECKED_BLOBS = 1_000_000

export interface ManyBlobs {
  readonly owner: Owner
  /** From all over the store. */
  readonly assets: readonly PlantedAsset[]
}

interface Planting {
  readonly blobs: number
  /** Of how many assets the ids are returned. */
  readonly sample: number
}

/**
 * Plants a new account's blobs while the server is stopped. Throws if `fsck` finds more than missing receipts;
 * it looks at up to `MAX_CHECKED_BLOBS`.
 */
export async function plantManyBlobs(server: RunningServer, { blobs, sample }: Planting): Promise<ManyBlobs> {
  const owner = await newOwner(server)
  const albumId = await newAlbum(server, owner)
  await server.terminate()
  const path = databasePathOf(server)
  const blobsDirectory = join(server.dataDir, 'blobs')
  const assets = plantRows({ path, blobsDirectory, owner, albumId, count: blobs / BLOBS_OF_ASSET, sample })
  if (blobs <= MAX_CHECKED_BLOBS) await expectNoFaults({ path, blobsDirectory, blobs })
  await server.restart()
  return { owner, assets }
}

interface Rows {
  readonly path: string
  readonly blobsDirectory: string
  readonly owner: Owner
  readonly albumId: string
  /** Assets. */
  readonly count: number
  readonly sample: number
}

function plantRows({ path, blobsDirectory, owner, albumId, count, sample }: Rows): readonly PlantedAsset[] {
  const database = new DatabaseSync(path)
  // Nothing of this must survive a crash.
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -2000000')
  const ids = { accountId: parsed(parseAccountId, owner.accountId), albumId: parsed(parseAlbumId, albumId) }
  const plantOne = plantingInto(database, { blobsDirectory, ids, count })
  const chosen = new Set(
    Array.from({ length: sample }, (_, index) => Math.floor(((index + Math.random()) * count) / sample)),
  )
  const planted: PlantedAsset[] = []
  database.exec('begin')
  for (let index = 0; index < count; index++) {
    const asset = plantOne(index)
    if (chosen.has(index)) planted.push(asset)
    if (index % ASSETS_AT_ONCE === ASSETS_AT_ONCE - 1) database.exec('commit; begin')
  }
  database
    .prepare('update accounts set used_bytes = used_bytes + ?, change_seq = ? where account_id = ?')
    .run(count * BLOBS_OF_ASSET * BLOB_BYTES, count, ids.accountId)
  database.exec('commit; pragma journal_mode = wal')
  database.close()
  return planted
}

interface PlantingInto extends Pick<Rows, 'blobsDirectory' | 'count'> {
  readonly ids: { readonly accountId: AccountId; readonly albumId: AlbumId }
}

/** Plants the asset of a number below `count`. */
function plantingInto(database: DatabaseSync, { blobsDirectory, ids, count }: PlantingInto) {
  const insertAsset = inserting(database, 'assets')
  const insertBlob = inserting(database, 'asset_blobs')
  const insertObject = inserting(database, 'objects')
  const link = createLinks(blobsDirectory)
  const at = systemClock.now()
  const of = { account_id: ids.accountId }

  function plantBlob(assetId: AssetId, role: BlobRole, place: number) {
    const ciphertextHash = parsed(parseSha256Hex, hexAt(place, 64))
    const uploadId = parsed(parseUploadId, uuidAt(Math.random()))
    const location = locationOf(ciphertextHash, uploadId)
    const object = { location, size: BLOB_BYTES }
    insertObject({ ...object, state: 'kept', since: at, checked_at: at })
    insertBlob({
      ...of,
      ...object,
      asset_id: assetId,
      role,
      ciphertext_hash: ciphertextHash,
      upload_id: uploadId,
      content_type: 'application/octet-stream',
      landed_at: at,
      envelope: JSON.stringify(manifestOf({ assetId, ciphertextHash }, ids, at)),
    })
    link(location)
    return { hash: ciphertextHash, path: join(blobsDirectory, location), size: BLOB_BYTES }
  }

  return (index: number): PlantedAsset => {
    const assetId = parsed(parseAssetId, uuidAt(index / count))
    const times = { created_at: at, changed_at: at }
    insertAsset({ ...of, ...times, asset_id: assetId, album_id: ids.albumId, change_seq: index + 1 })
    // The blobs of an asset lie far from each other, as those of random hashes do.
    const placeOf = (number: number) => (number + index / count) / BLOBS_OF_ASSET
    return { assetId, blobs: ROLES.map((role, number) => plantBlob(assetId, role, placeOf(number))) }
  }
}

/** Gives each location a file of the same few bytes. */
function createLinks(directory: string): (location: string) => void {
  const content = randomBytes(BLOB_BYTES)
  let first = ''
  let names = NAMES_OF_FILE
  return (location) => {
    const path = join(directory, location)
    if (names === NAMES_OF_FILE) {
      writeFileSync(path, content)
      first = path
      names = 0
    } else linkSync(first, path)
    names += 1
  }
}

/** Random digits after the place's, from 0 to 1: ids that databases take in order, but spread as random ones. */
function hexAt(place: number, digits: number): string {
  return Math.floor(place * 2 ** 48)
    .toString(16)
    .padStart(12, '0')
    .concat(randomHex(digits - 12))
}

function uuidAt(place: number): string {
  const hex = hexAt(place, 32)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

let pool = ''
let taken = 0

function randomHex(digits: number): string {
  if (taken + digits > pool.length) {
    pool = randomBytes(64 * 1024).toString('hex')
    taken = 0
  }
  taken += digits
  return pool.slice(taken - digits, taken)
}

interface Planted {
  readonly path: string
  readonly blobsDirectory: string
  readonly blobs: number
}

/** Each planted blob is without a receipt, and nothing else is wrong. */
async function expectNoFaults({ path, blobsDirectory, blobs }: Planted): Promise<void> {
  const store = await openSqliteStore({ path })
  const objects = await openFilesystemBlobs({ directory: blobsDirectory, createIfMissing: false })
  const counts = newCounts()
  const examination = { deep: false, signal: new AbortController().signal, counts }
  let unvouched = 0
  try {
    const ports = { store, objects, clock: systemClock, verify: createVerifiers() }
    for await (const { kind, what } of examine(ports, examination)) {
      if (kind !== 'blob_receipt_wrong') throw new Error(`fsck found ${kind}: ${what}`)
      unvouched += 1
    }
  } finally {
    await objects.close()
    await store.close()
  }
  if (unvouched !== blobs || counts.blobs !== blobs || counts.files < blobs)
    throw new Error(`fsck saw ${counts.blobs} of ${blobs} blobs, ${counts.files} files, ${unvouched} without receipts`)
}
