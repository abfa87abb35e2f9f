/** Where the bytes are: a directory or a bucket. Another kind of object store is opened here. */
import { openFilesystemBlobs, refuseObjectsOfOthers } from '../adapters/filesystem/blobs.ts'
import { createWitnessFile } from '../adapters/filesystem/witnessFile.ts'
import { holdsObjects, openS3, type S3Options, type S3Store } from '../adapters/s3/store.ts'
import type { Config } from '../config/config.ts'
import { createPartIndex } from '../domain/custody/partIndex.ts'
import { checkStoreId, storeIdOf } from '../domain/custody/storeId.ts'
import type { KeyedBytes } from '../ports/keyedBytes.ts'
import type { Objects } from '../ports/objects.ts'
import type { PartIndex } from '../ports/parts.ts'
import type { Replacing } from '../ports/replacing.ts'
import type { Staging } from '../ports/staging.ts'
import type { Store } from '../ports/store.ts'
import type { Witness } from '../ports/witness.ts'

export interface Bytes {
  readonly staging: Staging
  readonly objects: Objects
  /** Undefined for files, which have no keys. */
  readonly keyedBytes?: KeyedBytes | undefined
  /** Undefined for a bucket, where new keys replace others. */
  readonly replacing?: Replacing | undefined
  /** Absent where database and bytes are one directory, which is set back as a whole. */
  readonly witness?: Witness | undefined
  close(): Promise<void>
}

interface BytesUse {
  readonly createIfMissing: boolean
  /** For a process beside the server. */
  readonly asItIs?: boolean
}

/** A directory or a bucket, as the settings say. Throws an error for people if the bucket belongs to another server. */
export async function openBytes(config: Config, store: Store, use: BytesUse): Promise<Bytes> {
  const { blobs } = config
  if (blobs.kind === 'files') return openFiles(config, blobs.directory, use)
  const known = await store.read(storeIdOf)
  const bucket = await openBucket(config, blobs.address, {
    index: createPartIndex(store),
    createIfMissing: use.createIfMissing && known === undefined,
    knownId: known,
  })
  try {
    await checkStoreId(store, bucket)
    return bucket
  } catch (error) {
    await bucket.close()
    throw error
  }
}

/**
 * Throws an error for people if there are objects of a server at the place of the settings: a new database would know
 * none of them. Changes nothing. `why`: what says that the database is new.
 */
export async function refuseFoundObjects(config: Config, why: string): Promise<void> {
  const { blobs } = config
  if (blobs.kind === 'files') return refuseObjectsOfOthers(blobs.directory, why)
  if (await holdsObjects({ address: blobs.address, credentials: credentialsIn(config) }))
    throw new Error(
      `${why}, but the S3 store has objects, and a new database would not know them: they belong to another server. Is the disk of the database mounted? Set DATABASE_URL (or DATA_DIR) to the database of these objects, or restore a backup (\`blindkeep-server restore\`). Only for a new server, set BLOBS_URL to a new bucket or prefix. Nothing was changed.`,
    )
}

/** For a command that looks: free space of the store of bytes. Throws if it cannot be opened or does not answer. */
export async function freeBytesIn(config: Config, store: Store): Promise<number> {
  const bytes = await openBytes(config, store, { createIfMissing: false, asItIs: true })
  try {
    return await bytes.objects.check()
  } finally {
    await bytes.close()
  }
}

async function openFiles({ database }: Pick<Config, 'database'>, directory: string, use: BytesUse): Promise<Bytes> {
  const blobs = await openFilesystemBlobs({ directory, ...use })
  const witness = database.kind === 'sqlite' ? {} : { witness: createWitnessFile({ directory }) }
  return { staging: blobs, objects: blobs, replacing: blobs.replacing, ...witness, close: blobs.close }
}

function openBucket(
  config: Config,
  address: S3Options['address'],
  use: Pick<S3Options, 'index' | 'createIfMissing' | 'knownId'>,
): Promise<S3Store> {
  return openS3({
    ...use,
    address,
    credentials: credentialsIn(config),
    spoolDirectory: config.spoolDirectory,
  })
}

const credentialsIn = (config: Config): S3Options['credentials'] => ({
  accessKeyId: config.s3AccessKeyId,
  secretAccessKey: config.s3SecretAccessKey,
  sessionToken: config.s3SessionToken,
  file: config.s3CredentialsFile,
})

interface ArrivingBytes extends Bytes {
  /** Of a bucket. */
  readonly storeId?: string
}

/** For bytes that arrive, at a place that no server has used. */
export async function openArriving(config: Config, parts: PartIndex): Promise<ArrivingBytes> {
  const { blobs } = config
  return blobs.kind === 'files'
    ? openFiles(config, blobs.directory, { createIfMissing: true })
    : openBucket(config, blobs.address, { index: parts, createIfMissing: true })
}
