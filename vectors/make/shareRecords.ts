import assert from 'node:assert/strict'
import { toHex, uuidBytes } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { formatInstant, parseAlbumId, parseInstant } from '@blindkeep/protocol/ids'
import { uuidOf } from '../../packages/client/src/seal/newId.ts'
import { sealSmall } from '../../packages/client/src/seal/seal.ts'
import {
  encodeShareRecord,
  type Followed,
  sealShareRecord,
  summaryOf,
} from '../../packages/client/src/share/shareRecord.ts'
import { ACCOUNT_KEY, ALBUM_ID, OPAQUE_ID, rising, SALT } from './inputs.ts'

const seal = { accountKey: ACCOUNT_KEY, opaqueId: OPAQUE_ID, salt: SALT }
const named = (name: string | undefined, size = 1) => ({ name, size, type: undefined, modifiedAt: undefined })

interface RecordCase {
  readonly name: string
  readonly needsPassphrase: boolean
  readonly files: readonly ReturnType<typeof named>[]
  readonly follows?: Followed
}

/** What the owner keeps of a share. `files` is what its client shared. */
export async function shareRecordVectors(shareKey: Uint8Array) {
  const albumId = parseAlbumId(uuidOf(ALBUM_ID)) ?? assert.fail()
  const [state, indexHash, indexKey] = [rising(0x20, 32), rising(0x40, 32), rising(0x90, 32)]
  const cases: readonly RecordCase[] = [
    { name: 'two files', needsPassphrase: false, files: [named('Grüße – 文.txt'), named(undefined, 300)] },
    {
      name: 'more files than names, and names that are cut; with a passphrase',
      needsPassphrase: true,
      files: ['文'.repeat(80), `${'𝔛'.repeat(80)}y`, 'a\nb', 'four', 'five', 'six'].map((name) => named(name, 7)),
    },
    {
      name: 'of a share that follows its album, which is empty',
      needsPassphrase: false,
      files: [],
      follows: { albumId, state, indexHash, indexKey: undefined, until: undefined },
    },
    {
      name: 'of one that follows its album, with a passphrase, an end and the longest names',
      needsPassphrase: true,
      files: Array.from({ length: 5 }, () => named('𝔛'.repeat(80))),
      follows: { albumId, state, indexHash, indexKey, until: parseInstant('2026-12-31T12:00:00Z') },
    },
  ]
  const valid = []
  for (const { name, needsPassphrase, files, follows } of cases) {
    const record = {
      shareKey: Uint8Array.from(shareKey),
      needsPassphrase,
      ...summaryOf(files),
      ...(follows && { follows }),
    }
    valid.push({
      name,
      account_key: toHex(ACCOUNT_KEY),
      opaque_id: toHex(OPAQUE_ID),
      salt: toHex(SALT),
      file_names: files.map((file) => file.name ?? null),
      share_key: toHex(shareKey),
      needs_passphrase: needsPassphrase,
      files: record.files,
      bytes: record.bytes,
      names: record.names,
      follows: follows
        ? {
            album: toHex(uuidBytes(follows.albumId)),
            state: toHex(follows.state),
            index: toHex(follows.indexHash),
            index_key: follows.indexKey ? toHex(follows.indexKey) : null,
            until: follows.until === undefined ? null : formatInstant(follows.until),
          }
        : null,
      record: toHex(encodeShareRecord(record)),
      sealed_record: toHex(await sealShareRecord(seal, record)),
    })
  }
  return { valid, invalid: invalidRecords(), sealed_invalid: await invalidSealings(shareKey) }
}

function invalidRecords() {
  const of = (over: Readonly<Record<string, CborValue>>) =>
    toHex(encodeCbor(new Map(Object.entries({ ...valid(), ...over }))))
  const [album, state, index] = [rising(1, 16), rising(1, 32), rising(1, 32)]
  const followed = { album, state, index }
  return [
    { name: 'a later version', record: of({ version: 3 }) },
    { name: 'a short key', record: of({ key: rising(1, 31) }) },
    { name: 'no files', record: of({ files: 0 }) },
    { name: 'more files than a share has', record: of({ files: 10_001 }) },
    { name: 'a negative size', record: of({ bytes: -1 }) },
    { name: 'names that are no list', record: of({ names: 'a' }) },
    { name: 'more names than files', record: of({ names: ['a', 'b'] }) },
    { name: 'six names', record: of({ files: 9, names: ['a', 'b', 'c', 'd', 'e', 'f'] }) },
    { name: 'a name of bytes', record: of({ names: [rising(1, 2)] }) },
    { name: 'a name of two lines', record: of({ names: ['a\nb'] }) },
    { name: 'a name that is too long', record: of({ names: ['x'.repeat(81)] }) },
    { name: 'no files, without an album', record: of({ files: 0, names: [] }) },
    { name: 'an album id that is short', record: of({ ...followed, album: rising(1, 15) }) },
    { name: 'an album without a state', record: of({ album, index }) },
    { name: 'an album without a hash of the index', record: of({ album, state }) },
    { name: 'an album, and a hash of the index that is short', record: of({ ...followed, index: rising(1, 31) }) },
    { name: 'an album, and an end that is no time', record: of({ ...followed, until: 'soon' }) },
    { name: 'an album, a passphrase and no key of the index', record: of({ ...followed, version: 2 }) },
    { name: 'a list', record: toHex(encodeCbor([1])) },
    { name: 'empty', record: '' },
  ]
}

const valid = (): Record<string, CborValue> => ({ version: 1, key: rising(0x60, 32), files: 1, bytes: 1, names: ['a'] })

async function invalidSealings(shareKey: Uint8Array) {
  const summary = { needsPassphrase: false, files: 1, bytes: 1, names: [] }
  const content = encodeShareRecord({ shareKey: Uint8Array.from(shareKey), ...summary })
  const right = { key: ACCOUNT_KEY, contextId: OPAQUE_ID, salt: SALT, purpose: 'share-record' } as const
  return [
    { name: 'of another share', sealed_record: toHex(await sealSmall(content, { ...right, contextId: ALBUM_ID })) },
    {
      name: 'for another purpose',
      sealed_record: toHex(await sealSmall(content, { ...right, purpose: 'share-index' })),
    },
    { name: 'under the share key', sealed_record: toHex(await sealSmall(content, { ...right, key: shareKey })) },
  ]
}
