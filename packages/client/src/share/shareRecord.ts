/**
 * What an owner keeps of a share: the key of its address, and a summary of its files, so that the list of shares can
 * say what each of them shows, also after it expired. A sealed blob under the account key. Its content is deterministic
 * CBOR: a map of `version`, `key`, `files`, `bytes` and `names`. The version is that of the fragment: 1, or 2 for a
 * share with a passphrase, so that a client that does not know passphrases shows no address that opens nothing. It
 * always has the same length, which says nothing about the files. The record of a share that follows its album also has
 * `album`, `state`, `index`, with a passphrase `index_key`, and `until` if it ends.
 */
import { type Bytes, concatBytes, fromBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import { CborError, type CborValue, decodeCbor, encodeCbor } from '@blindkeep/protocol/cbor'
import { type AlbumId, formatInstant, type Instant, parseAlbumId, parseInstant } from '@blindkeep/protocol/ids'
import { isCount } from '@blindkeep/protocol/json'
import { MAX_SHARE_BLOBS } from '@blindkeep/protocol/schemas/shares'
import { ID_BYTES, KEY_BYTES } from '@blindkeep/protocol/suites'
import { uuidOf } from '../seal/newId.ts'
import { openSmall } from '../seal/open.ts'
import { plainLine } from '../seal/plainLine.ts'
import { createSealer } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import type { SharedFile } from './shareIndex.ts'

const [OPEN, WITH_PASSPHRASE] = [1, 2]
const MAX_NAMES = 5
const MAX_NAME_CHARACTERS = 80
/** Of the content, filled with zeros. Five names of 80 characters of any script fit. */
const RECORD_BYTES = 2048
const HASH_BYTES = 32

/** What the owner's client has written about the files when it made the share. */
export interface ShareSummary {
  readonly files: number
  /** Of all files. */
  readonly bytes: number
  /** Of the first five files that have names; long ones are cut. */
  readonly names: readonly string[]
}

export interface ShareRecord extends ShareSummary {
  /** 32 bytes, SECRET. */
  readonly shareKey: Bytes
  /** The passphrase itself is stored nowhere. */
  readonly needsPassphrase: boolean
  readonly follows?: Followed
}

/** Of a share that shows what its album has. */
export interface Followed {
  readonly albumId: AlbumId
  /** 32 bytes: of which state of the album its index is (`followedAlbum.ts`). */
  readonly state: Bytes
  /** SHA-256 of the sealed index, which everyone who has the address could have sealed. */
  readonly indexHash: Bytes
  /** SECRET, with a passphrase: what seals the index. It neither proves the passphrase nor leads to it. */
  readonly indexKey: Bytes | undefined
  /** When the share ends, as its owner has chosen: what the server says of it later lets no file out after that. */
  readonly until: Instant | undefined
}

interface RecordSeal {
  /** 32 bytes. */
  readonly accountKey: Uint8Array
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** 16 bytes; random by default. */
  readonly salt?: Uint8Array | undefined
}

export function summaryOf(files: readonly SharedFile[]): ShareSummary {
  const named = files.map(({ name }) => plainLine(name)).filter((name) => name !== undefined)
  return {
    files: files.length,
    bytes: Math.min(
      files.reduce((sum, { size }) => sum + size, 0),
      Number.MAX_SAFE_INTEGER,
    ),
    names: named.slice(0, MAX_NAMES).map(shortened),
  }
}

/** By code points, so that no character of a pair is left alone. */
function shortened(name: string): string {
  const characters = Array.from(name)
  return characters.length <= MAX_NAME_CHARACTERS ? name : `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…`
}

export async function sealShareRecord(seal: RecordSeal, record: ShareRecord): Promise<Bytes> {
  const content = encodeShareRecord(record)
  const sealer = await createSealer({
    ...contextOf(seal),
    salt: seal.salt,
    header: { size: content.length },
    plaintextSize: RECORD_BYTES,
  })
  const padded = concatBytes(content, new Uint8Array(RECORD_BYTES - content.length))
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, padded))
}

/** Throws `SealError`, also for content that is no record. */
export async function openShareRecord(seal: RecordSeal, sealed: Uint8Array): Promise<ShareRecord> {
  return decodeShareRecord(await openSmall(sealed, contextOf(seal)))
}

/** From the server: base64, or nothing. `fault` says why it does not open. Never throws `SealError`. */
export async function openGivenRecord(
  seal: RecordSeal,
  sealed: string | null | undefined,
): Promise<{ readonly record?: ShareRecord; readonly fault?: string }> {
  if (sealed === undefined || sealed === null) return {}
  try {
    return { record: await openShareRecord(seal, fromBase64(sealed)) }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return { fault: error.message }
  }
}

const contextOf = ({ accountKey, opaqueId }: RecordSeal) =>
  ({ key: accountKey, purpose: 'share-record', contextId: opaqueId }) as const

export function encodeShareRecord({ shareKey, needsPassphrase, files, bytes, names, follows }: ShareRecord): Bytes {
  if (shareKey.length !== KEY_BYTES) throw new RangeError(`a share key is ${KEY_BYTES} bytes`)
  const fields = new Map<string, CborValue>([
    ['version', needsPassphrase ? WITH_PASSPHRASE : OPEN],
    ['key', shareKey],
    ['files', files],
    ['bytes', bytes],
    ['names', [...names]],
  ])
  if (follows !== undefined) {
    fields.set('album', uuidBytes(follows.albumId)).set('state', follows.state).set('index', follows.indexHash)
    if (follows.indexKey !== undefined) fields.set('index_key', follows.indexKey)
    if (follows.until !== undefined) fields.set('until', formatInstant(follows.until))
  }
  return encodeCbor(fields)
}

/** Throws `SealError`. Members of later clients are ignored. */
export function decodeShareRecord(content: Uint8Array): ShareRecord {
  const fields = fieldsOf(content)
  const [key, files, bytes, names] = ['key', 'files', 'bytes', 'names'].map((name) => fields.get(name))
  const version = fields.get('version')
  if (version !== OPEN && version !== WITH_PASSPHRASE) throw invalid('the version is not known')
  if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES) throw invalid('there is no key')
  const needsPassphrase = version === WITH_PASSPHRASE
  const follows = followedOf(fields, needsPassphrase)
  const isCounted = isCount(files) && files >= (follows === undefined ? 1 : 0) && files <= MAX_SHARE_BLOBS
  if (!isCounted || !isCount(bytes)) throw invalid('a number is wrong')
  if (!Array.isArray(names) || names.length > Math.min(MAX_NAMES, files)) throw invalid('the names are wrong')
  return {
    shareKey: Uint8Array.from(key),
    needsPassphrase,
    files,
    bytes,
    names: names.map(nameOf),
    ...(follows !== undefined && { follows }),
  }
}

function followedOf(fields: ReadonlyMap<unknown, unknown>, needsPassphrase: boolean): Followed | undefined {
  const [album, state, indexHash, indexKey] = ['album', 'state', 'index', 'index_key'].map((name) => fields.get(name))
  if (album === undefined) return undefined
  const albumId = isBytes(album, ID_BYTES) ? parseAlbumId(uuidOf(album)) : undefined
  if (albumId === undefined || !isBytes(state, HASH_BYTES)) throw invalid('the album is wrong')
  if (!isBytes(indexHash, HASH_BYTES)) throw invalid('there is no hash of the index')
  const followed = {
    albumId,
    state: Uint8Array.from(state),
    indexHash: Uint8Array.from(indexHash),
    until: untilOf(fields.get('until')),
  }
  if (!needsPassphrase) return { ...followed, indexKey: undefined }
  if (!isBytes(indexKey, KEY_BYTES)) throw invalid('there is no key of the index')
  return { ...followed, indexKey: Uint8Array.from(indexKey) }
}

function untilOf(value: unknown): Instant | undefined {
  if (value === undefined) return undefined
  const until = typeof value === 'string' ? parseInstant(value) : undefined
  if (until === undefined) throw invalid('the end is wrong')
  return until
}

const isBytes = (value: unknown, length: number): value is Uint8Array =>
  value instanceof Uint8Array && value.length === length

function fieldsOf(content: Uint8Array): ReadonlyMap<unknown, unknown> {
  try {
    const value: unknown = decodeCbor(content)
    if (value instanceof Map) return value
  } catch (cause) {
    if (!(cause instanceof CborError)) throw cause
  }
  throw invalid('it is not readable')
}

function nameOf(value: unknown): string {
  const name = typeof value === 'string' ? plainLine(value) : undefined
  if (name === undefined || name !== value || shortened(name) !== name) throw invalid('a name is wrong')
  return name
}

const invalid = (why: string) => new SealError('header_invalid', `this is not the record of a share: ${why}`)
