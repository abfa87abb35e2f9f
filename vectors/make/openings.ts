import { createHash } from 'node:crypto'
import { type Bytes, concatBytes, fromBase64, toBase64, toHex } from '@blindkeep/protocol/bytes'
import { encodeCbor } from '@blindkeep/protocol/cbor'
import { parseAssetId, parseDropId, parseSha256Hex, parseUploadId } from '@blindkeep/protocol/ids'
import { HYBRID_ALGORITHM } from '@blindkeep/protocol/keys'
import { type ReceiptPayload, readReceipt } from '@blindkeep/protocol/receipt'
import { OPENING_VERSION, type Opening } from '@blindkeep/protocol/schemas/openings'
import { HEADER_BLOCK_BYTES, SEGMENT_PLAINTEXT_BYTES } from '@blindkeep/protocol/suites'
import type { ProofFault } from '../../packages/client/src/opening/proofError.ts'
import { blobSecret, type Purpose, secretsOfBlob } from '../../packages/client/src/seal/derive.ts'
import { continueSealer, segmentRange } from '../../packages/client/src/seal/seal.ts'
import { createSegmentCipher } from '../../packages/client/src/seal/sealedBlob.ts'
import { padded } from './forgeBlob.ts'
import { BLOB_KEY, FILE_ID, known, OPAQUE_ID, patternBytes, rising, SALT } from './inputs.ts'
import { issue } from './receipts.ts'
import { salamander } from './salamander.ts'
import { createTestKey } from './testKey.ts'

const SERVER_ID = 'https://keep.example'
const KEY = createTestKey(0x00)
/** Not published. */
const OTHER_KEY = createTestKey(0x40)
const KEM_CT = patternBytes(1120)
const DROP_ID = known(parseDropId('0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e12'))
const ASSET_ID = known(parseAssetId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e02'))
const UPLOAD_ID = known(parseUploadId('0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e10'))
/** A longer content follows the rule of the file. */
const MAX_HEX_BYTES = 4096

interface Blob {
  readonly content: Bytes
  readonly header: Readonly<Record<string, string | number>>
  /** What is sealed in its place, for what no encoder of this project writes. */
  readonly headerBytes?: Bytes
  readonly plaintextSize?: number
  /** Of an own file, format 1. */
  readonly isOwn?: boolean
  readonly salt?: Bytes
}

interface Sealed {
  readonly blob: Blob
  readonly opening: Opening
  readonly payload: ReceiptPayload
}

/** Any header, so also those that this client would not write. */
async function sealed(blob: Blob): Promise<Sealed> {
  const { content, header, plaintextSize = content.length, isOwn = false, salt = SALT } = blob
  const contextId = isOwn ? FILE_ID : OPAQUE_ID
  const secret = blobSecret(BLOB_KEY, salt)
  const secrets = secretsOfBlob(secret, { purpose: 'original', contextId })
  const cipher = await createSegmentCipher(secrets)
  const paddedHeader = padded(blob.headerBytes ?? encodeCbor(new Map(Object.entries(header))))
  const blocks = Uint8Array.of(paddedHeader.length / HEADER_BLOCK_BYTES)
  const format = isOwn ? Uint8Array.of(1) : concatBytes(Uint8Array.of(2), KEM_CT)
  const preamble = concatBytes(format, salt, secrets.commitment, blocks)
  const prefix = concatBytes(preamble, await cipher.seal({ counter: 0, last: false }, paddedHeader, preamble))
  const sealer = continueSealer({ prefix, salt, header: { size: content.length }, cipher, plaintextSize })
  const hash = createHash('sha256').update(prefix)
  const plaintext = concatBytes(content, new Uint8Array(plaintextSize - content.length))
  for (let index = 0; index < sealer.segmentCount; index++) {
    const { from, to } = segmentRange(sealer, index)
    hash.update(await sealer.sealSegment(index, plaintext.subarray(from, to)))
  }
  const payload = payloadOf({ ciphertextHash: hash.digest('hex'), size: sealer.sealedSize, isOwn })
  const parts = { version: OPENING_VERSION, purpose: 'original', context: toHex(contextId) } as const
  return { blob, payload, opening: { ...parts, secret: toBase64(secret), prefix: toBase64(prefix) } }
}

interface SealedBytes {
  readonly ciphertextHash: string
  readonly size: number
  readonly isOwn: boolean
}

function payloadOf({ ciphertextHash, size, isOwn }: SealedBytes): ReceiptPayload {
  return {
    server_id: SERVER_ID,
    receipt_seq: 1,
    upload_id: UPLOAD_ID,
    ...(isOwn ? { asset_id: ASSET_ID } : { drop_id: DROP_ID }),
    blob_role: 'original',
    ciphertext_hash: known(parseSha256Hex(ciphertextHash)),
    size,
    received_at: '2026-03-01T10:20:30.456Z',
  }
}

function labelOf({ name = '', size = 0 }: Blob['header']) {
  const path = String(name)
  const end = path.lastIndexOf('/')
  return end > 0 ? { name: path.slice(end + 1), folder: path.slice(0, end), size } : { name: path, folder: '', size }
}

const proofOf = ({ blob, opening, payload }: Sealed, key = KEY) => ({
  ...readReceipt(issue(payload, key)),
  file: { ...labelOf(blob.header), opening },
})
type Proof = ReturnType<typeof proofOf>

const contentOf = (content: Uint8Array) =>
  content.length > MAX_HEX_BYTES ? { size: content.length } : { size: content.length, content: toHex(content) }

const laterMembers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`later_${index}`, index * 0.5 + 0.25]))

const contract = { size: 300, name: 'contract.pdf', sender: 'Ada', note: 'as agreed' }
const drop = await sealed({ content: patternBytes(300), header: contract })

const valid: readonly (readonly [string, Sealed])[] = [
  ['a drop', drop],
  [
    'an own file, in a folder',
    await sealed({ content: patternBytes(300), header: { size: 300, name: 'contracts/2026/a.pdf' }, isOwn: true }),
  ],
  ['a size hidden behind zeros', await sealed({ content: patternBytes(5), header: { size: 5 }, plaintextSize: 64 })],
  [
    'a header of two blocks',
    await sealed({ content: patternBytes(5), header: { size: 5, name: 'a', note: 'n'.repeat(1100) } }),
  ],
  [
    'a header with a member of a later version',
    await sealed({ content: patternBytes(5), header: { size: 5, later: 'x', name: 'a' } }),
  ],
  ['a header of 24 members', await sealed({ content: patternBytes(5), header: { ...laterMembers(23), size: 5 } })],
  ['an empty file', await sealed({ content: new Uint8Array(0), header: { size: 0, name: 'empty' } })],
  [
    'one byte more than a full segment',
    await sealed({
      content: patternBytes(SEGMENT_PLAINTEXT_BYTES + 1),
      header: { size: SEGMENT_PLAINTEXT_BYTES + 1, name: 'long.bin' },
    }),
  ],
]

/** Other spellings of a proof that holds. */
function spellings() {
  const json = JSON.stringify(proofOf(drop))
  const strange = { keys: 'none', drop_id: 'of another', version: 2, prior_receipt_hash: null }
  const respelled = JSON.stringify({ ...strange, ...proofOf(drop) }).replaceAll('/', '\\/')
  return [
    ['other spellings of texts and numbers', respelled.replaceAll('"size":300', '"size":3.00e2')],
    ['members that are passed over', `\ufeff${json.replace('"file":{', '"file":{"NAME":"other","x":1e999,')}`],
  ] as const
}

interface Refusal {
  readonly name: string
  readonly step: ProofFault
  readonly proof?: unknown
  /** Of a proof that no JSON value says. */
  readonly text?: string
  readonly content?: Bytes
}

/** One member at the end of `path` replaced. */
function withMember(
  proof: Proof,
  path: readonly ['file', 'opening'] | readonly ['file'] | readonly [],
  change: object,
) {
  if (path.length === 0) return { ...proof, ...change }
  if (path.length === 1) return { ...proof, file: { ...proof.file, ...change } }
  return { ...proof, file: { ...proof.file, opening: { ...proof.file.opening, ...change } } }
}

function flipped(base64: string, at: number): string {
  const bytes = fromBase64(base64)
  bytes[at] = known(bytes[at]) ^ 1
  return toBase64(bytes)
}

function formRefusals(proof: Proof): readonly Refusal[] {
  const opening = (name: string, change: object): Refusal => ({
    name,
    step: 'form',
    proof: withMember(proof, ['file', 'opening'], change),
  })
  const { secret, prefix } = proof.file.opening
  return [
    opening('K in place of the secret', { secret: toBase64(BLOB_KEY) }),
    opening('another version', { version: 'service/opening/2' }),
    opening('another purpose', { purpose: 'metadata' }),
    opening('a member of no version', { sha256: toHex(rising(1, 32)) }),
    opening('a member in upper case', { SECRET: secret }),
    opening('a context in upper case', { context: proof.file.opening.context.toUpperCase() }),
    opening('base64 with bits that are not used', { secret: `${secret.slice(0, -3)}h==` }),
    opening('base64 without padding', { secret: secret.slice(0, -2) }),
    opening('a prefix of more than 64 blocks', { prefix: toBase64(new Uint8Array(66_723)) }),
    { name: 'a number beyond 2^53', step: 'form', text: JSON.stringify(proof).replace('"size":300', '"size":1e400') },
    {
      name: 'a member twice',
      step: 'form',
      text: JSON.stringify(proof).replace('"secret":', `"secret":${JSON.stringify(secret)},"secret":`),
    },
    { name: 'no JSON', step: 'form', text: JSON.stringify(proof).slice(0, -1) },
    ...['NaN', '"\\ud800"', `${'['.repeat(16)}${']'.repeat(16)}`].map((value) => ({
      name: `a member that is ${value}`,
      step: 'form' as const,
      text: JSON.stringify(proof).replace('{', `{"x":${value},`),
    })),
    ...[{ ciphertext_hash: undefined }, { server_key_id: undefined }, { upload_id: 'x' }, { receipt_cbor: null }].map(
      (change) => ({
        name: `${Object.keys(change)[0]} that is ${JSON.stringify(Object.values(change)[0]) ?? 'not there'}`,
        step: 'form' as const,
        proof: { ...proof, ...change },
      }),
    ),
    { name: 'a folder that is null', step: 'form', proof: withMember(proof, ['file'], { folder: null }) },
    { name: 'a name in upper case', step: 'form', proof: withMember(proof, ['file'], { name: undefined, NAME: 'x' }) },
    {
      name: 'a prefix that is text',
      step: 'form',
      proof: withMember(proof, ['file', 'opening'], { prefix: `${prefix}!` }),
    },
  ]
}

async function signedRefusals(proof: Proof): Promise<readonly Refusal[]> {
  const { payload, opening } = drop
  const under = (change: Partial<ReceiptPayload>, key = KEY) =>
    proofOf({ ...drop, payload: { ...payload, ...change } }, key)
  return [
    {
      name: 'a signature that does not verify',
      step: 'receipt',
      proof: { ...proof, receipt_cbor: flipped(proof.receipt_cbor, fromBase64(proof.receipt_cbor).length - 1) },
    },
    {
      name: 'the receipt of metadata',
      step: 'receipt',
      proof: {
        ...readReceipt(
          issue({
            ...payloadOf({ ciphertextHash: payload.ciphertext_hash, size: payload.size, isOwn: true }),
            blob_role: 'metadata',
          }),
        ),
        file: { ...labelOf(contract), opening },
      },
    },
    { name: 'signed by a key that is not published', step: 'key', proof: under({}, OTHER_KEY) },
    { name: 'signed before its key began', step: 'key', proof: under({ received_at: '2025-12-31T23:59:59.999Z' }) },
    { name: 'the receipt of another server', step: 'server', proof: under({ server_id: 'https://other.example' }) },
    { name: 'a size beside the receipt that is not the signed one', step: 'members', proof: { ...proof, size: 301 } },
    {
      name: 'a hash beside the receipt that is not signed',
      step: 'members',
      proof: { ...proof, prior_receipt_hash: toHex(rising(1, 32)) },
    },
    {
      name: 'a time beside the receipt that is not the signed one',
      step: 'members',
      proof: { ...proof, received_at: '2026-03-01T10:20:30.457Z' },
    },
  ]
}

const bytesOf = (...parts: readonly (string | readonly number[])[]) =>
  concatBytes(...parts.map((part) => (typeof part === 'string' ? encodeCbor(part) : Uint8Array.from(part))))

/** Each with `size` 5, by the rules of headers: one form, flat, texts and numbers. */
const WRONG_HEADERS: Readonly<Record<string, Bytes>> = {
  'unsorted names': bytesOf([0xa2], 'size', [5], 'name', 'a'),
  'a name twice': bytesOf([0xa2], 'size', [5], 'size', [5]),
  'an integer that is not the shortest': bytesOf([0xa2], 'size', [5], 'later', [0x18, 1]),
  'an integer beyond 2^53': bytesOf([0xa2], 'size', [5], 'later', [0x1b, 0, 0x20, 0, 0, 0, 0, 0, 0]),
  'a float that is an integer': bytesOf([0xa2], 'size', [5], 'later', [0xf9, 0x3c, 0]),
  'a float that is not the shortest': bytesOf([0xa2], 'size', [5], 'later', [0xfa, 0x3f, 0xc0, 0, 0]),
  'no number': bytesOf([0xa2], 'size', [5], 'later', [0xf9, 0x7e, 0]),
  bytes: bytesOf([0xa2], 'size', [5], 'later', [0x41, 1]),
  'a list in lists': bytesOf(
    [0xa2],
    'size',
    [5],
    'later',
    Array.from({ length: 1000 }, () => 0x81),
    [1],
  ),
  null: bytesOf([0xa2], 'size', [5], 'later', [0xf6]),
  'a byte order mark': bytesOf([0xa2], 'size', [5], 'sender', '\ufeffAda'),
  'a time that is none': bytesOf([0xa2], 'size', [5], 'modified_at', 'yesterday'),
  'bytes behind the map': bytesOf([0xa1], 'size', [5, 1]),
}

async function headerRefusals(): Promise<readonly Refusal[]> {
  const content = patternBytes(5)
  const refusals: Refusal[] = []
  for (const [what, headerBytes] of Object.entries(WRONG_HEADERS)) {
    const proof = proofOf(await sealed({ content, header: { size: 5 }, headerBytes }))
    refusals.push({ name: `a header with ${what}`, step: 'header', proof, content })
  }
  return refusals
}

/** The salt decides about the AES key: the same file, name and sizes, and another blob. */
const twin = await sealed({ content: patternBytes(300), header: contract, salt: rising(0xb0, 16) })

async function openingRefusals(proof: Proof): Promise<readonly Refusal[]> {
  const opening = (change: Partial<Record<keyof Opening, string>>) => withMember(proof, ['file', 'opening'], change)
  const { prefix } = drop.opening
  const fileBeyond = await sealed({ content: patternBytes(300), header: { ...contract, size: 301 } })
  const hidden = known(valid[2])[1]
  return [
    { name: 'the context of another link', step: 'secret', proof: opening({ context: toHex(rising(1, 16)) }) },
    { name: 'the prefix of another blob', step: 'secret', proof: opening({ prefix: twin.opening.prefix }) },
    {
      name: 'a prefix that lacks a byte',
      step: 'secret',
      proof: opening({ prefix: toBase64(fromBase64(prefix).subarray(0, -1)) }),
    },
    { name: 'a changed header', step: 'header', proof: opening({ prefix: flipped(prefix, 1200) }) },
    {
      name: 'a header that has no size',
      step: 'header',
      proof: proofOf(await sealed({ content: patternBytes(5), header: { name: 'a' } })),
      content: patternBytes(5),
    },
    { name: 'another name', step: 'name', proof: withMember(proof, ['file'], { name: 'other.pdf' }) },
    { name: 'another folder', step: 'name', proof: withMember(proof, ['file'], { folder: 'contracts' }) },
    {
      name: 'a header of more bytes than are sealed',
      step: 'length',
      proof: proofOf(fileBeyond),
      content: patternBytes(301),
    },
    {
      name: 'zeros behind a file whose size is hidden',
      step: 'length',
      proof: proofOf(hidden),
      content: concatBytes(patternBytes(5), new Uint8Array(1)),
    },
    { name: 'a file that lacks a byte', step: 'length', proof, content: patternBytes(299) },
    { name: 'another size beside the receipt', step: 'length', proof: withMember(proof, ['file'], { size: 299 }) },
    {
      name: 'a signed size that no blob with this prefix has',
      step: 'length',
      proof: proofOf({ ...drop, payload: { ...drop.payload, size: 2210 + 15 } }),
    },
    {
      name: 'a changed byte',
      step: 'bytes',
      proof,
      content: concatBytes(Uint8Array.of(1), patternBytes(300).subarray(1)),
    },
    {
      name: 'the opening of another receipt',
      step: 'bytes',
      proof: withMember(proof, ['file'], { opening: twin.opening }),
    },
    { name: 'the receipt of another blob', step: 'bytes', proof: proofOf({ ...drop, payload: twin.payload }) },
  ]
}

/** Both under one segment with one tag. The receipt is of the first; the second has a secret of its own. */
async function twoFiles() {
  const context: { purpose: Purpose; contextId: Bytes } = { purpose: 'original', contextId: OPAQUE_ID }
  const secret = rising(0x11, 64)
  const [one, other] = salamander(secretsOfBlob(blobSecret(BLOB_KEY, SALT), context), secretsOfBlob(secret, context), {
    start: patternBytes(16),
    end: patternBytes(16),
  })
  const first = await sealed({ content: one, header: { size: one.length, name: 'contract.pdf' } })
  const cipher = await createSegmentCipher(secretsOfBlob(secret, context))
  const segment = await cipher.seal({ counter: 1, last: true }, other)
  const hash = createHash('sha256').update(fromBase64(first.opening.prefix)).update(segment).digest('hex')
  if (hash !== first.payload.ciphertext_hash) throw new Error('the two contents are not sealed to the same bytes')
  return { first, other, proof: withMember(proofOf(first), ['file', 'opening'], { secret: toBase64(secret) }) }
}

export async function openingVectors() {
  const proof = proofOf(drop)
  const two = await twoFiles()
  const refusals: readonly Refusal[] = [
    { name: 'salamander', step: 'secret', proof: two.proof, content: two.other },
    ...formRefusals(proof),
    ...(await signedRefusals(proof)),
    ...(await openingRefusals(proof)),
    ...(await headerRefusals()),
  ]
  return {
    plaintext: 'byte i is i mod 251 where a vector has no content',
    published: {
      server_id: SERVER_ID,
      keys: [
        {
          key_id: KEY.keyId,
          algorithm: HYBRID_ALGORITHM,
          public: KEY.described.public,
          active_from: '2026-01-01T00:00:00.000Z',
        },
      ],
    },
    key: toHex(BLOB_KEY),
    valid: [
      ...[...valid, ['one of two files that two keys seal to one segment', two.first] as const].map(([name, one]) => ({
        name,
        header: one.blob.header,
        ...contentOf(one.blob.content),
        proof: proofOf(one),
      })),
      ...spellings().map(([name, text]) => ({ name, header: contract, ...contentOf(patternBytes(300)), proof, text })),
    ],
    invalid: refusals.map(({ name, step, content = patternBytes(300), ...document }) => ({
      name,
      step,
      ...contentOf(content),
      ...document,
    })),
  }
}
