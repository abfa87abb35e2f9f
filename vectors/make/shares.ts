import { createHash } from 'node:crypto'
import { concatBytes, toHex } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { base64urlnopad } from '@scure/base'
import { nodeEnvironment } from '../../packages/client/src/node/nodeEnvironment.ts'
import { type StreamSecrets, sharePassphraseSalt, streamSecrets } from '../../packages/client/src/seal/derive.ts'
import { normalPassphrase } from '../../packages/client/src/seal/passphraseSpellings.ts'
import { createSealer, sealSmall } from '../../packages/client/src/seal/seal.ts'
import { makeShareFragment } from '../../packages/client/src/share/shareAddress.ts'
import { encodeShareIndex, type ShareEntry, sealShareIndex } from '../../packages/client/src/share/shareIndex.ts'
import { stretchSharePassphrase } from '../../packages/client/src/share/sharePassphrase.ts'
import { ALBUM_ID, BLOB_KEY, FILE_ID, OPAQUE_ID, patternBytes, rising, SALT, SHARE_KEY } from './inputs.ts'
import { shareRecordVectors } from './shareRecords.ts'

const seal = { shareKey: SHARE_KEY, opaqueId: OPAQUE_ID, salt: SALT }

/** `one byte, every header field` of sealed-blobs.json. */
async function uploaded(): Promise<ShareEntry> {
  const header = {
    size: 1,
    name: 'Grüße – 文.txt',
    type: 'text/plain',
    modified_at: '2026-03-01T10:20:30.456Z',
    note: 'for you',
    sender: 'Ada',
  }
  const { size, name, type, modified_at: modifiedAt } = header
  const sealed = await sealedBytes(FILE_ID, header)
  return { hash: sealed, secrets: secretsOf(FILE_ID), size, name, type, modifiedAt }
}

/** `a drop` of sealed-blobs.json, adopted: its context stays that of its link. */
async function adopted(): Promise<ShareEntry> {
  const hash = await sealedBytes(OPAQUE_ID, { size: 300, name: 'drop.bin' }, patternBytes(1120))
  return { hash, secrets: secretsOf(OPAQUE_ID), size: 300, name: undefined, type: undefined, modifiedAt: undefined }
}

async function sealedBytes(contextId: Uint8Array, header: { size: number; name: string }, kemCt?: Uint8Array) {
  const sealer = await createSealer({ key: BLOB_KEY, purpose: 'original', contextId, header, salt: SALT, kemCt })
  const sealed = concatBytes(sealer.prefix, await sealer.sealSegment(0, patternBytes(header.size)))
  const hash = parseSha256Hex(createHash('sha256').update(sealed).digest('hex'))
  if (hash === undefined) throw new Error('a new hash does not parse')
  return hash
}

const secretsOf = (contextId: Uint8Array): StreamSecrets =>
  streamSecrets({ key: BLOB_KEY, salt: SALT, purpose: 'original', contextId })

const readable = ({ hash, secrets, size, name, type, modifiedAt, mark }: ShareEntry) => ({
  hash,
  stream: toHex(concatBytes(secrets.key, secrets.noncePrefix, secrets.commitment)),
  size,
  ...(name === undefined ? {} : { name }),
  ...(type === undefined ? {} : { type }),
  ...(modifiedAt === undefined ? {} : { modified_at: modifiedAt }),
  ...(mark === undefined ? {} : { mark: toHex(mark) }),
})

export async function shareVectors() {
  const entries = [await uploaded(), await adopted()]
  const encoded = encodeShareIndex(entries)
  const sealed = await sealShareIndex(seal, entries)
  const fragment = makeShareFragment({ shareKey: SHARE_KEY, needsPassphrase: false })
  return {
    valid: [
      {
        name: 'an uploaded file and an adopted drop of sealed-blobs.json',
        opaque_id: toHex(OPAQUE_ID),
        fragment,
        share_key: toHex(SHARE_KEY),
        streams_of: [FILE_ID, OPAQUE_ID].map((contextId) => ({
          key: toHex(BLOB_KEY),
          salt: toHex(SALT),
          purpose: 'original',
          context_id: toHex(contextId),
        })),
        salt: toHex(SALT),
        assets: entries.map(readable),
        index: toHex(encoded),
        sealed_index: toHex(sealed),
      },
    ],
    following: [
      await followingVector(
        'the same files, marked by their metadata',
        entries.map((entry, index) => ({ ...entry, mark: rising(index, 8) })),
      ),
      await followingVector('an empty album', []),
    ],
    with_passphrase: [await passphraseVector(entries)],
    invalid: {
      fragments: invalidFragments(fragment),
      indexes: invalidIndexes(encoded, entries),
      sealed_indexes: await invalidSealings(encoded, sealed),
    },
    records: await shareRecordVectors(SHARE_KEY),
  }
}

/** Of a share that follows its album. */
async function followingVector(name: string, entries: readonly ShareEntry[]) {
  return {
    name,
    opaque_id: toHex(OPAQUE_ID),
    share_key: toHex(SHARE_KEY),
    salt: toHex(SALT),
    assets: entries.map(readable),
    index: toHex(encodeShareIndex(entries)),
    sealed_index: toHex(await sealShareIndex(seal, entries)),
  }
}

async function passphraseVector(entries: readonly ShareEntry[]) {
  const typed = 'K7WM P3XD 9QHT 2VNC'
  const passphrase = normalPassphrase(typed)
  const salt = sharePassphraseSalt(SHARE_KEY, OPAQUE_ID)
  const stretched = await nodeEnvironment.passphraseProof(passphrase, salt)
  const given = { shareKey: SHARE_KEY, opaqueId: OPAQUE_ID, passphrase: typed }
  const { proof, indexKey } = await stretchSharePassphrase(nodeEnvironment, given)
  return {
    name: 'the same files',
    opaque_id: toHex(OPAQUE_ID),
    fragment: makeShareFragment({ shareKey: SHARE_KEY, needsPassphrase: true }),
    share_key: toHex(SHARE_KEY),
    passphrase_typed: typed,
    passphrase_normal: passphrase,
    passphrase_salt: toHex(salt),
    stretched: toHex(stretched),
    proof: toHex(proof),
    index_key: toHex(indexKey),
    salt: toHex(SALT),
    sealed_index: toHex(await sealShareIndex({ ...seal, shareKey: indexKey }, entries)),
  }
}

function invalidFragments(fragment: string) {
  const bytes = base64urlnopad.decode(fragment)
  const encoded = (changed: Uint8Array) => base64urlnopad.encode(changed)
  return [
    { name: 'empty', fragment: '' },
    { name: 'version 0', fragment: encoded(concatBytes(Uint8Array.of(0), bytes.subarray(1))) },
    { name: 'version 3', fragment: encoded(concatBytes(Uint8Array.of(3), bytes.subarray(1))) },
    { name: 'one byte short', fragment: encoded(bytes.subarray(0, 32)) },
    { name: 'one byte long', fragment: encoded(concatBytes(bytes, Uint8Array.of(0))) },
    { name: 'the last character cut off', fragment: fragment.slice(0, -1) },
    { name: 'the standard alphabet', fragment: `${fragment.slice(0, 40)}+/${fragment.slice(42)}` },
    { name: 'whitespace', fragment: `${fragment}\n` },
    { name: 'something after it', fragment: `${fragment}&utm_source=mail` },
  ]
}

function invalidIndexes(encoded: Uint8Array, entries: readonly ShareEntry[]) {
  const asset = (over: Readonly<Record<string, CborValue | undefined>>): CborValue => {
    const fields = { hash: rising(1, 32), stream: rising(2, 71), size: 1, ...over }
    const present = Object.entries<CborValue | undefined>(fields)
    return new Map(present.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
  }
  const index = (members: Readonly<Record<string, CborValue>>) => toHex(encodeCbor(new Map(Object.entries(members))))
  const of = (...assets: readonly CborValue[]) => index({ version: 1, assets })
  const invalid = 'index_invalid'
  return [
    { name: 'a later version', reason: 'index_unknown', index: index({ version: 2, assets: [asset({})] }) },
    { name: 'no version', reason: invalid, index: index({ assets: [asset({})] }) },
    { name: 'no assets', reason: invalid, index: index({ version: 1 }) },
    { name: 'a list', reason: invalid, index: toHex(encodeCbor([1, 2])) },
    { name: 'an asset that is no map', reason: invalid, index: of(asset({}), 7) },
    { name: 'no hash', reason: invalid, index: of(asset({ hash: undefined })) },
    { name: 'a short hash', reason: invalid, index: of(asset({ hash: rising(1, 31) })) },
    { name: 'a hash as text', reason: invalid, index: of(asset({ hash: toHex(rising(1, 32)) })) },
    { name: 'no stream', reason: invalid, index: of(asset({ stream: undefined })) },
    { name: 'a stream of 32 bytes', reason: invalid, index: of(asset({ stream: rising(2, 32) })) },
    { name: 'no size', reason: invalid, index: of(asset({ size: undefined })) },
    { name: 'a negative size', reason: invalid, index: of(asset({ size: -1 })) },
    { name: 'a name of bytes', reason: invalid, index: of(asset({ name: rising(3, 4) })) },
    { name: 'a time that is none', reason: invalid, index: of(asset({ modified_at: 'yesterday' })) },
    { name: 'cut short', reason: invalid, index: toHex(encoded.subarray(0, -1)) },
    { name: 'something after it', reason: invalid, index: toHex(concatBytes(encoded, Uint8Array.of(0))) },
    { name: 'keys unsorted', reason: invalid, index: unsorted(entries) },
  ]
}

/** The encoding of a map with its two members in the other order. */
function unsorted(entries: readonly ShareEntry[]): string {
  const assets = toHex(encodeShareIndex(entries).subarray(1))
  const version = toHex(encodeCbor('version')) + toHex(encodeCbor(1))
  if (!assets.endsWith(version)) throw new Error('version sorts last')
  return `a2${version}${assets.slice(0, -version.length)}`
}

async function invalidSealings(encoded: Uint8Array, sealed: Uint8Array) {
  const right = { key: SHARE_KEY, contextId: OPAQUE_ID, salt: SALT }
  const flipped = Uint8Array.from(sealed)
  flipped[sealed.length - 1] = (flipped[sealed.length - 1] ?? 0) ^ 1
  const of = async (over: Partial<Parameters<typeof sealSmall>[1]>) =>
    toHex(await sealSmall(encoded, { ...right, purpose: 'share-index', ...over }))
  return [
    { name: 'under another key', sealed_index: await of({ key: BLOB_KEY }) },
    { name: 'of another share', sealed_index: await of({ contextId: ALBUM_ID }) },
    { name: 'for another purpose', sealed_index: await of({ purpose: 'link-label' }) },
    { name: 'one bit of its end flipped', sealed_index: toHex(flipped) },
    { name: 'cut short', sealed_index: toHex(sealed.subarray(0, -1)) },
  ]
}
