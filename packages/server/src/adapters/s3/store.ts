import type { KeyedBytes } from '../../ports/keyedBytes.ts'
import type { Objects } from '../../ports/objects.ts'
import type { PartIndex } from '../../ports/parts.ts'
import type { Staging } from '../../ports/staging.ts'
import type { Witness } from '../../ports/witness.ts'
import type { S3Address } from './address.ts'
import { openClient } from './client.ts'
import { type CredentialSources, readCredentials } from './credentials.ts'
import { S3Refusal, unusable } from './failure.ts'
import { createKeyedBytes, keysOfObjects } from './keyedBytes.ts'
import { hasMarker, openMarker } from './marker.ts'
import { createObjects } from './objects.ts'
import { openSpool } from './spool.ts'
import { createStaging } from './staging.ts'
import { createS3Witness } from './witness.ts'

export interface S3Options {
  /** From `parseS3Address`. */
  readonly address: S3Address
  readonly credentials: CredentialSources
  /** Directory for bodies on their way. It is created; its files have no names. */
  readonly spoolDirectory: string
  /** Knows the parts of objects. */
  readonly index: PartIndex
  /** False if the database knows objects or a store id: a bucket without marker is then refused, with advice. */
  readonly createIfMissing: boolean
  /** The store id that the database knows, for that error. */
  readonly knownId?: string | undefined
  /** Until an answer begins, and between two pieces of it. */
  readonly answerMs?: number
}

/** A bucket as the place of objects. */
export interface S3Store {
  readonly staging: Staging
  readonly objects: Objects
  readonly keyedBytes: KeyedBytes
  readonly witness: Witness
  /** The random id in the store's marker. A database that knows another one belongs to another store. */
  readonly storeId: string
  /** This process made the marker: nothing was ever stored here. */
  readonly isNew: boolean
  close(): Promise<void>
}

/** Throws an error for people without credentials or marker, `StorageUnavailable` if the store is silent. */
export async function openS3(options: S3Options): Promise<S3Store> {
  const { address, index, createIfMissing, knownId, answerMs } = options
  const credentials = await readCredentials(options.credentials)
  const spool = await openSpool(options.spoolDirectory)
  const client = await openClient({ address, credentials, answerMs })
  try {
    const marker = await openMarker(client, { createIfMissing, knownId })
    return {
      staging: createStaging({ client, marker, spool }),
      objects: createObjects({ client, marker, index }),
      keyedBytes: createKeyedBytes({ client, marker }),
      witness: createS3Witness({ client, marker }),
      storeId: marker.storeId,
      isNew: marker.isNew,
      close: async () => client.close(),
    }
  } catch (error) {
    client.close()
    throw error instanceof S3Refusal ? unusable(address, error) : error
  }
}

/** Whether a server has put objects there. Changes nothing. Throws as `openS3` does. */
export async function holdsObjects({
  address,
  credentials,
  answerMs,
}: Pick<S3Options, 'address' | 'credentials' | 'answerMs'>): Promise<boolean> {
  const client = await openClient({ address, credentials: await readCredentials(credentials), answerMs })
  try {
    if (await hasMarker(client)) for await (const _ of keysOfObjects(client)) return true
    return false
  } catch (error) {
    throw error instanceof S3Refusal ? unusable(address, error) : error
  } finally {
    client.close()
  }
}
