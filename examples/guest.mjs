/**
 * A guest: seals one file, sends it through a link, and checks the receipt. Node 24, no package, written from
 * docs/formats.md.
 *
 *   node guest.mjs '<link>' <file> [passphrase]
 *
 * The receipt is stored beside the file. The whole file is held in memory; nothing is resumed: see formats.md for both.
 */
import * as crypto from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'

process.on('uncaughtException', (error) => {
  console.error(`guest: ${error.message}`)
  process.exit(1)
})
const [link, file, passphrase] = process.argv.slice(2)
if (file === undefined) throw new Error("usage: node guest.mjs '<link>' <file> [passphrase]")

// ---- Bytes ----

const { concat } = Buffer
const fromHex = (text) => Buffer.from(text, 'hex')
const fromBase64 = (text) => Buffer.from(text, 'base64')
const label = (text) => Buffer.from(`${text}\0`)
const sha256 = (...parts) => crypto.createHash('sha256').update(concat(parts)).digest()
const hkdf = (key, salt, info, length = 32) => Buffer.from(crypto.hkdfSync('sha512', key, salt, info, length))
const uint32 = (number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
function insist(holds, message) {
  if (!holds) throw new Error(message)
}

// ---- Deterministic CBOR: numbers, texts, bytes, lists, maps ----

function head(kind, number) {
  const [width, code] = number < 24 ? [0, number] : number < 256 ? [1, 24] : number < 65_536 ? [2, 25] : [4, 26]
  if (number >= 2 ** 32)
    return concat([Buffer.of((kind << 5) | 27), uint32(Math.floor(number / 2 ** 32)), uint32(number % 2 ** 32)])
  const bytes = Buffer.alloc(1 + width)
  bytes[0] = (kind << 5) | code
  if (width > 0) bytes.writeUIntBE(number, 1, width)
  return bytes
}
function encode(value) {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return concat([head(2, value.length), value])
  if (Array.isArray(value)) return concat([head(4, value.length), ...value.map(encode)])
  const entries = [...value].map((entry) => entry.map(encode)).sort(([one], [other]) => one.compare(other))
  return concat([head(5, value.size), ...entries.flat()])
}
/** One value, and the bytes after it. */
function decode(bytes) {
  const [kind, short] = [bytes[0] >> 5, bytes[0] & 31]
  insist(short < 28, 'not the deterministic CBOR of these formats')
  const width = short < 24 ? 0 : 2 ** (short - 24)
  const number = width === 0 ? short : width === 8 ? Number(bytes.readBigUInt64BE(1)) : bytes.readUIntBE(1, width)
  let rest = bytes.subarray(1 + width)
  const next = () => {
    const [value, after] = decode(rest)
    rest = after
    return value
  }
  if (kind === 0) return [number, rest]
  if (kind === 1) return [-1 - number, rest]
  insist(kind < 6 && number <= rest.length, 'not the deterministic CBOR of these formats')
  if (kind === 2) return [rest.subarray(0, number), rest.subarray(number)]
  if (kind === 3) return [rest.toString('utf8', 0, number), rest.subarray(number)]
  if (kind === 4) return [Array.from({ length: number }, next), rest]
  return [new Map(Array.from({ length: number }, () => [next(), next()])), rest]
}
function decodeStrictly(bytes) {
  const [value, rest] = decode(bytes)
  insist(encode(value).equals(bytes.subarray(0, bytes.length - rest.length)), 'CBOR, but not deterministic')
  return [value, rest]
}

// ---- The sealed blob ----

const SEGMENT = 1_048_560
/** AES key 32 ‖ nonce prefix 7 ‖ commitment 32. */
function streamOf(key, salt, purpose, context) {
  const secrets = hkdf(key, salt, concat([label('service/stream/1'), label(purpose), context]), 71)
  return { aes: secrets.subarray(0, 32), prefix: secrets.subarray(32, 39), commitment: secrets.subarray(39) }
}
const nonceOf = ({ prefix }, counter, last) => concat([prefix, uint32(counter), Buffer.of(last ? 1 : 0)])
function sealSegment(stream, counter, last, plaintext, additional = Buffer.alloc(0)) {
  const cipher = crypto.createCipheriv('aes-256-gcm', stream.aes, nonceOf(stream, counter, last)).setAAD(additional)
  return concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}
function openSegment(stream, counter, last, sealed, additional = Buffer.alloc(0)) {
  const cipher = crypto.createDecipheriv('aes-256-gcm', stream.aes, nonceOf(stream, counter, last)).setAAD(additional)
  cipher.setAuthTag(sealed.subarray(-16))
  return concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
}
/** A drop: format 2, with its kem_ct. */
function sealDrop({ key, kemCt, context, header, content }) {
  const salt = crypto.randomBytes(16)
  const stream = streamOf(key, salt, 'original', context)
  const encoded = encode(header)
  const blocks = Math.ceil(encoded.length / 1024)
  const padded = concat([encoded], blocks * 1024)
  const preamble = concat([Buffer.of(2), kemCt, salt, stream.commitment, Buffer.of(blocks)])
  const parts = [preamble, sealSegment(stream, 0, false, padded, preamble)]
  const count = Math.max(1, Math.ceil(content.length / SEGMENT))
  for (let index = 0; index < count; index++)
    parts.push(
      sealSegment(stream, index + 1, index === count - 1, content.subarray(index * SEGMENT, (index + 1) * SEGMENT)),
    )
  return concat(parts)
}
/** The header of a small blob of format 1 without content, such as the title of a link. Throws if it does not open. */
function openHeader(sealed, { key, purpose, context }) {
  insist(sealed[0] === 1, 'another format')
  const stream = streamOf(key, sealed.subarray(1, 17), purpose, context)
  insist(crypto.timingSafeEqual(stream.commitment, sealed.subarray(17, 49)), 'another commitment')
  const end = 50 + sealed[49] * 1024 + 16
  const [header, padding] = decodeStrictly(
    openSegment(stream, 0, false, sealed.subarray(50, end), sealed.subarray(0, 50)),
  )
  insist(
    padding.every((byte) => byte === 0),
    'padding that is not zero',
  )
  insist(
    openSegment(stream, 1, true, sealed.subarray(end)).length === 0 && header.get('size') === 0,
    'there is content',
  )
  return header
}

// ---- 1. The address, and what the server says of the link ----

const { origin, pathname, hash } = new URL(link)
const [, path, id] = /^(.*)\/u\/([0-9a-f]{32})\/?$/.exec(pathname) ?? []
const fragment = Buffer.from(hash.slice(1), 'base64url')
insist(id !== undefined && hash.length === 67 && fragment.length === 49 && fragment[0] === 1, 'not a whole link')
const [opaqueId, linkSecret, keyHash] = [fromHex(id), fragment.subarray(1, 17), fragment.subarray(17)]
const base = `${origin}${path}`

async function call(method, where, { headers = {}, body } = {}) {
  const answer = await fetch(`${base}${where}`, { method, headers, body, redirect: 'error' })
  if (answer.ok) return answer
  const problem = await answer.json().catch(() => ({}))
  throw new Error(`${answer.status} ${problem.code ?? ''} ${problem.detail ?? problem.title ?? ''}`)
}
const json = async (answer) => (await answer).json()

const shown = await json(call('GET', `/d/${id}`))
const dropPublicKey = fromBase64(shown.drop_pubkey)

// ---- 2. The key of the link ----

const expected = sha256(label('service/link/1'), uint32(shown.crypto_suite_id), opaqueId, dropPublicKey)
insist(
  shown.crypto_suite_id === 1 && crypto.timingSafeEqual(expected, keyHash),
  'the server names another key than the link',
)

if (shown.sealed_title != null) {
  const key = hkdf(linkSecret, opaqueId, label('service/link-title/1'))
  const words = openHeader(fromBase64(shown.sealed_title), { key, purpose: 'link-title', context: opaqueId })
  // A program that shows them to people also removes controls (formats.md).
  const said = JSON.stringify({ title: words.get('name'), message: words.get('note') })
  // Moves no cursor and turns no direction on a terminal.
  console.log(said.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?'))
}

// ---- 3. A new key, encapsulated with X-Wing, and the sealed file ----

const rawPublic = (der, bytes) =>
  crypto.createPublicKey({ key: concat([fromHex(der), bytes]), format: 'der', type: 'spki' })
const ML_KEM_768 = '308204b2300b0609608648016503040402038204a100'
const X25519 = '302a300506032b656e032100'
const theirs = { mlKem: dropPublicKey.subarray(0, 1184), x25519: dropPublicKey.subarray(1184) }
const { ciphertext, sharedKey } = crypto.encapsulate(rawPublic(ML_KEM_768, theirs.mlKem))
const ephemeral = crypto.generateKeyPairSync('x25519')
const ownX25519 = ephemeral.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
const agreed = crypto.diffieHellman({ privateKey: ephemeral.privateKey, publicKey: rawPublic(X25519, theirs.x25519) })
const kemCt = concat([ciphertext, ownX25519])
const sharedSecret = crypto
  .createHash('sha3-256')
  .update(concat([sharedKey, agreed, ownX25519, theirs.x25519, fromHex('5c2e2f2f5e5c')]))
  .digest()
const K = hkdf(
  concat([sharedSecret, linkSecret]),
  opaqueId,
  concat([label('service/drop/1'), sha256(dropPublicKey), sha256(kemCt)]),
)

const content = await readFile(file)
const header = new Map([
  ['size', content.length],
  ['name', basename(file)],
  ['modified_at', (await stat(file)).mtime.toISOString()],
])
const sealed = sealDrop({ key: K, kemCt, context: opaqueId, header, content })
const ciphertextHash = sha256(sealed).toString('hex')

// ---- 4. The session ----

const { server_id: serverId } = await json(call('GET', '/.well-known/service/server-info'))
const isLoopback = (url) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
insist(
  serverId === origin || (isLoopback(origin) && isLoopback(serverId)),
  `the server at ${origin} calls itself ${serverId}`,
)

function proofOf(typed) {
  const text = typed.normalize('NFKC')
  const heard = text
    .replace(/[\p{White_Space}\p{Dash}\p{Cf}]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
  const nonce = sha256(label('service/passphrase/2'), opaqueId, linkSecret).subarray(0, 16)
  const message = Buffer.from(heard === '' ? text : heard)
  return crypto.argon2Sync('argon2id', { message, nonce, parallelism: 1, tagLength: 32, memory: 65_536, passes: 3 })
}
insist(!shown.passphrase_required || passphrase !== undefined, 'the link needs a passphrase')
const { upload_id: uploadId, suggested_chunk_size: chunkSize } = await json(
  call('POST', `/d/${id}`, {
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify({
      content_type: 'application/octet-stream',
      size: sealed.length,
      ciphertext_hash: ciphertextHash,
      kem_ct: kemCt.toString('base64'),
      ...(shown.passphrase_required && { passphrase_proof: proofOf(passphrase).toString('base64') }),
    }),
  }),
)

// ---- 5. The chunks ----

for (let offset = 0; offset < sealed.length; offset += chunkSize) {
  const chunk = sealed.subarray(offset, offset + chunkSize)
  const headers = {
    'Content-Type': 'application/octet-stream',
    'X-Service-Offset': String(offset),
    'X-Service-Checksum': sha256(chunk).toString('hex'),
  }
  await call('PATCH', `/d/${id}/${uploadId}`, { headers, body: chunk })
}

// ---- 6. The receipt ----

const receipt = await json(call('GET', `/d/${id}/${uploadId}/receipt`))
const { keys } = await json(call('GET', '/.well-known/service/attestation-keys'))
const cbor = fromBase64(receipt.receipt_cbor)
insist(cbor[0] === 0xd8 && cbor[1] === 98, 'not a COSE_Sign message')
const [[body, unprotected, payload, signatures], rest] = decodeStrictly(cbor.subarray(2))
insist(rest.length === 0 && unprotected.size === 0 && signatures.length === 2, 'another form')
insist(body.equals(encode(new Map([[3, 'application/service-receipt+cbor']]))), 'another content type')
const publicKey = keys
  .map((key) => fromBase64(key.public))
  .find((key) => sha256(key).toString('hex') === receipt.server_key_id)
insist(publicKey !== undefined, 'the server publishes no such key')
for (const [index, [algorithm, jwk]] of [
  [-19, { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url', 0, 32) }],
  [-49, { kty: 'AKP', alg: 'ML-DSA-65', pub: publicKey.toString('base64url', 32) }],
].entries()) {
  const [signHeader, none, signature] = signatures[index]
  insist(
    none.size === 0 &&
      signHeader.equals(
        encode(
          new Map([
            [1, algorithm],
            [4, sha256(publicKey)],
          ]),
        ),
      ),
    'another key or algorithm',
  )
  const toBeSigned = encode(['Signature', body, signHeader, Buffer.alloc(0), payload])
  insist(
    crypto.verify(null, toBeSigned, crypto.createPublicKey({ key: jwk, format: 'jwk' }), signature),
    'a signature does not verify',
  )
}
const [fields] = decodeStrictly(payload)
insist(
  fields.get('version') === 'service/receipt/1' && fields.get('server_id') === serverId,
  'a receipt of another server',
)
insist(
  fields.get('ciphertext_hash').toString('hex') === ciphertextHash && fields.get('size') === sealed.length,
  'a receipt of other bytes',
)
insist(fields.get('upload_id') === uploadId && fields.has('drop_id'), 'a receipt of another upload')

await writeFile(`${file}.receipt.json`, JSON.stringify(receipt))
console.log(
  JSON.stringify({
    ciphertext_hash: ciphertextHash,
    received_at: fields.get('received_at'),
    receipt: `${file}.receipt.json`,
  }),
)
