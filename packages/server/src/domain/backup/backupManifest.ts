import { parseBase64, toBase64, utf8 } from '@blindkeep/protocol/bytes'
import {
  formatInstant,
  type Instant,
  type KeyId,
  parseInstant,
  parseKeyId,
  parseSha256Hex,
  parseUploadId,
  type Sha256Hex,
} from '@blindkeep/protocol/ids'
import { isCount, isObject } from '@blindkeep/protocol/json'
import { type BackupDirectory, BackupFailed, type SnapshotCounts, type SnapshotObject } from '../../ports/backup.ts'
import type { Keyring } from '../../ports/keyring.ts'
import { partsOf } from '../ground/location.ts'
import { isSame } from '../ground/sameBytes.ts'

/** The content of `backup.json`. */
export interface BackupManifest {
  readonly createdAt: Instant
  /** Undefined when the server had neither accounts nor receipts. */
  readonly serverId: string | undefined
  /** The server’s first attestation key. It identifies the server of the backup. */
  readonly firstKeyId: KeyId
  readonly head: { readonly receiptSeq: number; readonly receiptHash: Sha256Hex } | undefined
  readonly database: { readonly file: string; readonly size: number; readonly sha256: Sha256Hex }
  readonly counts: SnapshotCounts & { readonly objects: number; readonly bytes: number }
}

const VERSION = 1

/** With a MAC over the rest. The manifest has the database's hash, the database that of each file. */
export function formatManifest(manifest: BackupManifest, keyring: Pick<Keyring, 'mac'>): string {
  const { createdAt, serverId, firstKeyId, head, database, counts } = manifest
  const json = {
    version: VERSION,
    created_at: formatInstant(createdAt),
    server_id: serverId,
    server_key_id: firstKeyId,
    receipt_seq: head?.receiptSeq,
    receipt_hash: head?.receiptHash,
    database,
    counts,
  }
  return `${JSON.stringify({ ...json, mac: toBase64(macOf(json, keyring)) }, undefined, 2)}\n`
}

/** Its text. Throws an error for people when no backup has ever finished there. */
export async function manifestIn(directory: Pick<BackupDirectory, 'manifest'>): Promise<string> {
  const text = await directory.manifest()
  if (text !== undefined) return text
  throw new BackupFailed('the directory holds no finished backup: there is no backup.json in it')
}

/** Whether a server with this master secret wrote it. Throws for people when the text is no manifest. */
export function isVouchedFor(text: string, keyring: Pick<Keyring, 'mac'>): boolean {
  const { mac, ...json } = objectIn(text)
  const given = typeof mac === 'string' ? parseBase64(mac) : undefined
  return given !== undefined && isSame(given, macOf(json, keyring))
}

/** Members stay in the order in which they were written, so the text is the same before and after. */
function macOf(json: object, keyring: Pick<Keyring, 'mac'>): Uint8Array {
  return keyring.mac('backup', utf8(JSON.stringify(json)))
}

/** Throws an error for people when the text is no manifest, or of a newer release. */
export function parseManifest(text: string): BackupManifest {
  const json = objectIn(text)
  if (typeof json.version === 'number' && json.version > VERSION)
    throw new Error(`backup.json is of version ${json.version}, and this release knows ${VERSION}: use a newer release`)
  const [database, counts] = [asObject(json.database), asObject(json.counts)]
  const receiptSeq = json.receipt_seq
  const number = (from: Readonly<Record<string, unknown>>, name: string) => {
    const value = from[name]
    return required(isCount(value) ? value : undefined, name)
  }
  return {
    createdAt: required(parseInstant(String(json.created_at)), 'created_at'),
    serverId: typeof json.server_id === 'string' ? json.server_id : undefined,
    firstKeyId: required(parseKeyId(String(json.server_key_id)), 'server_key_id'),
    head:
      receiptSeq === undefined
        ? undefined
        : {
            receiptSeq: number(json, 'receipt_seq'),
            receiptHash: required(parseSha256Hex(String(json.receipt_hash)), 'receipt_hash'),
          },
    database: {
      file: required(databaseForm.exec(String(database.file))?.[0], 'database.file'),
      size: number(database, 'size'),
      sha256: required(parseSha256Hex(String(database.sha256)), 'database.sha256'),
    },
    counts: {
      accounts: number(counts, 'accounts'),
      drops: number(counts, 'drops'),
      assets: number(counts, 'assets'),
      receipts: number(counts, 'receipts'),
      objects: number(counts, 'objects'),
      bytes: number(counts, 'bytes'),
    },
  }
}

const databaseForm = /^[0-9TZ]+\.sqlite$/

/** Each backup has its own name, so a new one never overwrites the present one. */
export function databaseNameOf(createdAt: Instant): string {
  return `${formatInstant(createdAt).replaceAll(/[^0-9TZ]/g, '')}.sqlite`
}

/**
 * A file in a backup never changes. An object that is still uploaded grows, so its name contains its length. Throws for
 * a location that the server did not make, as its path could lead anywhere.
 */
export function nameOf({ location, bytes, isWhole }: SnapshotObject): string {
  partsOf(location)
  return isWhole ? `blobs/${location}` : `staged/${location}.${bytes}`
}

/** The location of the object in a file with this name. Undefined for any other file. */
export function locationIn(name: string): string | undefined {
  const [, location, uploadId = ''] = objectForm.exec(name) ?? []
  return parseUploadId(uploadId) === undefined ? undefined : location
}

const objectForm = /^(?:blobs|staged)\/([0-9a-f]{2}\/[0-9a-f]{64}\.([0-9a-f-]{36}))(?:\.\d+)?$/

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text))
  } catch (error) {
    throw new Error('backup.json is not valid JSON', { cause: error })
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`backup.json has no valid ${name}`)
  return value
}
