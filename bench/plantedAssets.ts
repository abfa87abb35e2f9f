/** Plants assets without uploads: writes rows and files of landings, so that thousands take a moment. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import {
  type AccountId,
  type AlbumId,
  type AssetId,
  formatInstant,
  type Instant,
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseProtocolVersion,
  parseUploadId,
  type Sha256Hex,
} from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { SEGMENT_PLAINTEXT_BYTES, SUITE_ID } from '@blindkeep/protocol/suites'
import { Pool } from 'pg'
import { openPostgresStore } from '../packages/server/src/adapters/sql/postgres/store.ts'
import { openSqliteStore } from '../packages/server/src/adapters/sql/sqlite/store.ts'
import { systemClock } from '../packages/server/src/adapters/system/clock.ts'
import { locationOf } from '../packages/server/src/domain/ground/location.ts'
import type { AssetBlob, Store } from '../packages/server/src/ports/store.ts'
import type { TestObjectStore } from '../testing/objectStore.ts'
import type { RunningServer } from '../testing/startServer.ts'
import { newId, parsed, sha256 } from './ids.ts'
import { newAlbum, newOwner, type Owner } from './owner.ts'

/** The blobs of an asset in most rows. */
export const ROLES = ['original', 'metadata', 'provenance', 'derivative', 'derivative'] as const

export interface PlantedAsset {
  readonly assetId: AssetId
  readonly blobs: readonly { readonly hash: Sha256Hex; readonly path: string; readonly size: number }[]
}

export interface Planted {
  readonly owner: Owner
  readonly accountId: AccountId
  readonly blobsDirectory: string
  readonly assets: readonly PlantedAsset[]
}

export const databasePathOf = ({ dataDir }: Pick<RunningServer, 'dataDir'>): string => join(dataDir, 'blindkeep.sqlite')

interface Planting {
  readonly assets: number
  /** Each asset has one blob of each role. */
  readonly roles: readonly BlobRole[]
  readonly blobBytes: number
  /** Of PostgreSQL; otherwise the rows go to the server's own database. */
  readonly databaseUrl?: string
  /** Takes the bytes, each blob as one part; otherwise they go to files. */
  readonly objects?: TestObjectStore
}

/** Plants a new account's assets; on SQLite while the server is stopped, as it has one writing process. */
export async function plantAssets(server: RunningServer, planting: Planting): Promise<Planted> {
  const owner = await newOwner(server)
  const albumId = parsed(parseAlbumId, await newAlbum(server, owner))
  const accountId = parsed(parseAccountId, owner.accountId)
  const blobsDirectory = join(server.dataDir, 'blobs')
  const { databaseUrl: url } = planting
  if (url === undefined) await server.terminate()
  const store = await (url === undefined
    ? openSqliteStore({ path: databasePathOf(server) })
    : openPostgresStore({ url }))
  const assets: PlantedAsset[] = []
  const parts = new Pool({ connectionString: url, max: 1 })
  const put = planting.objects === undefined ? putFile(blobsDirectory) : putPart(planting.objects, parts)
  try {
    while (assets.length < planting.assets)
      assets.push(await plantOne(store, { accountId, albumId, blobsDirectory, planting, put }))
  } finally {
    await parts.end()
    await store.close()
  }
  if (url === undefined) await server.restart()
  return { owner, accountId, blobsDirectory, assets }
}

interface PlantingContext {
  readonly accountId: AccountId
  readonly albumId: AlbumId
  readonly blobsDirectory: string
  readonly planting: Planting
  readonly put: Put
}

type Put = (blob: AssetBlob, content: Uint8Array) => Promise<void>

function putFile(directory: string): Put {
  return ({ location }, content) => writeFile(join(directory, location), content)
}

function putPart({ client, bucket, prefix }: TestObjectStore, database: Pool): Put {
  return async ({ location, uploadId, size, ciphertextHash }, content) => {
    const key = `${location}/${randomBytes(8).toString('hex')}`
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}${key}`, Body: content }))
    await database.query(
      `insert into parts (key, upload_id, state, "offset", length, checksum) values ($1, $2, 'kept', 0, $3, $4)`,
      [key, uploadId, size, ciphertextHash],
    )
  }
}

async function plantOne(store: Store, context: PlantingContext): Promise<PlantedAsset> {
  const { accountId, albumId, blobsDirectory, planting, put } = context
  const assetId = newId(parseAssetId)
  const contents = planting.roles.map((role) => ({ role, content: randomBytes(planting.blobBytes) }))
  const blobs = contents.map(({ role, content }) => blobOf({ assetId, role, content }, context))
  for (const [at, blob] of blobs.entries()) await put(blob, contents[at]?.content ?? new Uint8Array())
  await store.write([], async (tx) => {
    await tx.assets.reserve({ assetId, accountId, albumId })
    for (const blob of blobs) {
      const { location, size, landedAt } = blob
      await tx.accounts.charge(accountId, size, undefined)
      await tx.objects.insert({ location, size, state: 'kept', since: landedAt })
      await tx.assets.addBlob(blob)
      await tx.assets.touch(assetId, landedAt)
    }
  })
  const planted = blobs.map(({ ciphertextHash, location, size }) => ({
    hash: ciphertextHash,
    path: join(blobsDirectory, location),
    size,
  }))
  return { assetId, blobs: planted }
}

interface Content {
  readonly assetId: AssetId
  readonly role: BlobRole
  readonly content: Uint8Array
}

function blobOf({ assetId, role, content }: Content, { accountId, albumId }: PlantingContext): AssetBlob {
  const ciphertextHash = sha256(content)
  const uploadId = newId(parseUploadId)
  const landedAt = systemClock.now()
  const envelope = manifestOf({ assetId, ciphertextHash }, { accountId, albumId }, landedAt)
  const contentType = 'application/octet-stream'
  const location = locationOf(ciphertextHash, uploadId)
  return {
    assetId,
    role,
    ciphertextHash,
    size: content.length,
    contentType,
    location,
    uploadId,
    envelope,
    landedAt,
    retainedUntil: undefined,
    pendingAfter: undefined,
  }
}

interface Ids {
  readonly accountId: AccountId
  readonly albumId: AlbumId
}

export function manifestOf(
  { assetId, ciphertextHash }: { readonly assetId: AssetId; readonly ciphertextHash: Sha256Hex },
  { accountId, albumId }: Ids,
  at: Instant,
): ManifestEnvelope {
  return {
    crypto_suite_id: SUITE_ID,
    protocol_version: parsed(parseProtocolVersion, '2026-11-01'),
    album_id: albumId,
    file_id: assetId,
    amk_version: 1,
    ciphertext_hash: ciphertextHash,
    plaintext_size: 0,
    chunk_size: SEGMENT_PLAINTEXT_BYTES,
    key_mode: 'derived',
    created_by_user: accountId,
    created_by_device: newId(parseDeviceId),
    client_version: 'bench/1',
    timestamp: formatInstant(at),
    action: 'create',
  }
}
