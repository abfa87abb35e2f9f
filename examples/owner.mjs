/**
 * An owner: an account, links, the inbox, and what is kept. Node 24, and the list of words of @scure/bip39; written
 * from docs/formats.md.
 *
 *   node owner.mjs register                 makes the account, prints its recovery words
 *   node owner.mjs recover '<24 words>'     sets BLINDKEEP_PASSWORD as the new password
 *   node owner.mjs link [label [title [name]]]   prints a new link (with BLINDKEEP_PASSPHRASE: one that asks for it)
 *   node owner.mjs inbox                    lists pending drops, a line of JSON each
 *   node owner.mjs open <drop_id>           writes the file to standard output
 *   node owner.mjs adopt <drop_id>          keeps the drop as an asset
 *   node owner.mjs upload <file>            keeps a file of one's own as an asset
 *   node owner.mjs read <asset_id>          verifies an asset and writes its file to standard output;
 *                                           `revoked` behind it: also one that a revoked device has signed
 *
 * BLINDKEEP_URL, BLINDKEEP_EMAIL, BLINDKEEP_PASSWORD, and for `register` BLINDKEEP_INVITE if the server asks for an
 * invite, name server and account. The key of this device is kept in owner.device, sealed. Whole files are held in
 * memory, and an account with a second factor is not supported.
 */
import * as crypto from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { wordlist } from '@scure/bip39/wordlists/english.js'

process.on('uncaughtException', (error) => {
  console.error(`owner: ${error.message}`)
  process.exit(1)
})
const { BLINDKEEP_URL, BLINDKEEP_EMAIL, BLINDKEEP_PASSWORD, BLINDKEEP_PASSPHRASE, BLINDKEEP_INVITE } = process.env
const [command, ...given] = process.argv.slice(2)

/** JSON that moves no cursor and turns no direction on a terminal: names are those of other people. */
const line = (facts) => JSON.stringify(facts).replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?')

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
/** Format 1, or 2 with a kem_ct. */
function seal({ key, purpose, context, content = Buffer.alloc(0), header = new Map(), kemCt }) {
  const salt = crypto.randomBytes(16)
  const stream = streamOf(key, salt, purpose, context)
  const encoded = encode(new Map([['size', content.length], ...header]))
  const blocks = Math.ceil(encoded.length / 1024)
  const preamble = concat([
    Buffer.of(kemCt === undefined ? 1 : 2),
    kemCt ?? Buffer.alloc(0),
    salt,
    stream.commitment,
    Buffer.of(blocks),
  ])
  const parts = [preamble, sealSegment(stream, 0, false, concat([encoded], blocks * 1024), preamble)]
  const count = Math.max(1, Math.ceil(content.length / SEGMENT))
  for (let index = 0; index < count; index++)
    parts.push(
      sealSegment(stream, index + 1, index === count - 1, content.subarray(index * SEGMENT, (index + 1) * SEGMENT)),
    )
  return concat(parts)
}
/** Bytes before the data segments, of which the first 2210 or all are given. */
function prefixLength(sealed) {
  const preamble = sealed[0] === 2 ? 1170 : 50
  return preamble + sealed[preamble - 1] * 1024 + 16
}
/** Opens the header, and with `whole` the content too. `key` may be a function of the blob's kem_ct. */
function open(sealed, { key, purpose, context, whole = true }) {
  insist(sealed[0] === 1 || sealed[0] === 2, 'another format')
  const saltAt = sealed[0] === 2 ? 1121 : 1
  const preamble = sealed.subarray(0, saltAt + 49)
  const k = typeof key === 'function' ? key(sealed.subarray(1, saltAt)) : key
  const stream = streamOf(k, sealed.subarray(saltAt, saltAt + 16), purpose, context)
  insist(crypto.timingSafeEqual(stream.commitment, sealed.subarray(saltAt + 16, saltAt + 48)), 'another commitment')
  const dataAt = prefixLength(sealed)
  const [header, padding] = decodeStrictly(
    openSegment(stream, 0, false, sealed.subarray(preamble.length, dataAt), preamble),
  )
  insist(
    padding.every((byte) => byte === 0),
    'padding of the header that is not zero',
  )
  if (!whole) return { header }
  const parts = []
  for (let counter = 1, at = dataAt; at < sealed.length; counter++, at += SEGMENT + 16)
    parts.push(openSegment(stream, counter, at + SEGMENT + 16 >= sealed.length, sealed.subarray(at, at + SEGMENT + 16)))
  const data = concat(parts)
  const size = header.get('size')
  insist(parts.length > 0 && size <= data.length && data.subarray(size).every((byte) => byte === 0), 'another size')
  return { header, content: data.subarray(0, size), plaintextSize: data.length }
}

// ---- Requests ----

async function call(method, path, { headers = {}, body, bytes } = {}) {
  const answer = await fetch(`${BLINDKEEP_URL}${path}`, {
    method,
    headers: {
      ...headers,
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    body: bytes ?? (body && JSON.stringify(body)),
    redirect: 'error',
  })
  if (answer.ok) return answer
  const problem = await answer.json().catch(() => ({}))
  throw new Error(`${answer.status} ${problem.code ?? ''} ${problem.detail ?? problem.title ?? ''}`)
}
const json = async (answer) => (await answer).json()
const bytesOf = async (answer) => Buffer.from(await (await answer).arrayBuffer())
let token

// ---- What people type, and who the server is ----

const email = BLINDKEEP_EMAIL.normalize('NFKC')
  .replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
  .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
const { server_id: serverId, protocol_version: window } = await json(call('GET', '/.well-known/service/server-info'))
const { origin } = new URL(BLINDKEEP_URL)
const isLoopback = (url) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
insist(
  serverId === origin || (isLoopback(origin) && isLoopback(serverId)),
  `the server at ${origin} calls itself ${serverId}`,
)

function argon2(text, nonce) {
  const message = Buffer.from(text)
  return crypto.argon2Sync('argon2id', { message, nonce, parallelism: 1, tagLength: 32, memory: 65_536, passes: 3 })
}
const NONE = Buffer.alloc(0)
const NO_CONTEXT = Buffer.alloc(16)
/** The seed of the sign-in key, and the key that seals the account key. */
function secretsOf(password, salt) {
  const nonce = sha256(label('service/password/1'), label(email), salt).subarray(0, 16)
  const master = argon2(password.normalize('NFKC'), nonce)
  return {
    seed: hkdf(master, NONE, label('service/sign-in/1')),
    wrap: hkdf(master, NONE, label('service/account-wrap/1')),
  }
}
/** The seed of a new sign-in key, and what the server stores beside that key. */
function newPassword(accountKey) {
  const salt = crypto.randomBytes(16)
  const { seed, wrap } = secretsOf(BLINDKEEP_PASSWORD, salt)
  const sealed = seal({ key: wrap, purpose: 'account-key', context: NO_CONTEXT, content: accountKey })
  const members = { kdf_version: 1, salt: salt.toString('base64'), sealed_account_key: sealed.toString('base64') }
  return { seed, members }
}

// ---- Proofs: a request is signed in place of carrying a secret ----

const privateKey = (der, seed) =>
  crypto.createPrivateKey({ key: concat([fromHex(der), seed]), format: 'der', type: 'pkcs8' })
const rawPublic = (key, length) => crypto.createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-length)
const ed25519Of = (seed) => privateKey('302e020100300506032b657004220420', seed)
const publicKeyOf = (seed) => rawPublic(ed25519Of(seed), 32).toString('base64')

/** Sends the members with a proof by the key of this seed. `path`: without the base path of the server. */
async function callProved(seed, method, path, members) {
  const { nonce } = await json(call('POST', '/v1/auth/nonce'))
  const encoded = Object.keys(members)
    .sort()
    .flatMap((name) => {
      const value = Buffer.from(String(members[name]))
      return [label(name), uint32(value.length), value]
    })
  const texts = ['service/proof/1', `${method} ${path}`, serverId, nonce].map(label)
  const signature = crypto.sign(null, concat([...texts, sha256(...encoded)]), ed25519Of(seed))
  const proof = { key: publicKeyOf(seed), nonce, signature: signature.toString('base64') }
  return call(method, path, { body: { ...members, proof } })
}

// ---- Recovery words: 256 bits and 8 bits of checksum, 11 bits a word ----

function wordsOf(secret) {
  const bits = [...secret, sha256(secret)[0]].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.match(/.{11}/g).map((word) => wordlist[Number.parseInt(word, 2)])
}
function secretOfWords(typed) {
  const places = typed
    .trim()
    .normalize('NFKD')
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => wordlist.indexOf(word))
  insist(places.length === 24 && !places.includes(-1), 'there are 24 words, all of them on the list')
  const bits = places.map((place) => place.toString(2).padStart(11, '0')).join('')
  const bytes = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)))
  insist(sha256(bytes.subarray(0, 32))[0] === bytes[32], 'a word is wrong, or two are swapped')
  return bytes.subarray(0, 32)
}
const recoveryWrap = (secret) => ({
  key: hkdf(secret, NONE, label('service/recovery-wrap/1')),
  purpose: 'account-key',
  context: NO_CONTEXT,
})
const recoverySeed = (secret) => hkdf(secret, NONE, label('service/recovery-key/1'))

// ---- Register, recover, sign in ----

async function register() {
  const [accountKey, recoverySecret] = [crypto.randomBytes(32), crypto.randomBytes(32)]
  const { seed, members } = newPassword(accountKey)
  await callProved(seed, 'POST', '/v1/auth/register', {
    email,
    ...members,
    sealed_recovery_key: seal({ ...recoveryWrap(recoverySecret), content: accountKey }).toString('base64'),
    recovery_key: publicKeyOf(recoverySeed(recoverySecret)),
    ...(BLINDKEEP_INVITE && { invite: BLINDKEEP_INVITE }),
  })
  const words = wordsOf(recoverySecret)
  insist(
    (await recoveredKey(secretOfWords(words.join(' ')))).equals(accountKey),
    'the words do not open what the server stores',
  )
  console.log(words.join(' '))
}
async function recoveredKey(secret) {
  const { sealed_recovery_key: sealed } = await json(call('POST', '/v1/auth/recover/start', { body: { email } }))
  return open(fromBase64(sealed), recoveryWrap(secret)).content
}
async function recover(words) {
  const secret = secretOfWords(words)
  const accountKey = await recoveredKey(secret)
  const { seed, members } = newPassword(accountKey)
  const body = { email, sign_in_key: publicKeyOf(seed), ...members }
  await callProved(recoverySeed(secret), 'POST', '/v1/auth/recover/finish', body)
}
async function signIn() {
  const kdf = await json(call('POST', '/v1/auth/kdf', { body: { email } }))
  const salt = fromBase64(kdf.salt)
  insist(
    kdf.kdf_version === 1 && salt.length === 16 && !salt.every((byte) => byte === salt[0]),
    'a derivation that no client uses',
  )
  const { seed, wrap } = secretsOf(BLINDKEEP_PASSWORD, salt)
  const answer = await callProved(seed, 'POST', '/v1/auth/login', { email })
  insist(answer.status === 200, 'the account has a second factor')
  const { access_token, account_id } = await answer.json()
  token = access_token
  const account = await json(call('GET', '/v1/account'))
  insist(account.email === email, 'the server names another account')
  const { content } = open(fromBase64(account.sealed_account_key), {
    key: wrap,
    purpose: 'account-key',
    context: NO_CONTEXT,
  })
  return { accountKey: content, accountId: account_id }
}

// ---- The device, which signs ----

const uuidBytes = (uuid) => fromHex(uuid.replaceAll('-', ''))

/** secret: 1 ‖ device_id 16 ‖ Ed25519 seed 32 ‖ ML-DSA-65 seed 32. */
function deviceOf(secret) {
  const ed25519 = ed25519Of(secret.subarray(17, 49))
  const mlDsa65 = privateKey('3034020100300b060960864801650304031204228020', secret.subarray(49))
  const hex = secret.toString('hex', 1, 17)
  return {
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    publicKey: concat([rawPublic(ed25519, 32), rawPublic(mlDsa65, 1952)]),
    ed25519,
    mlDsa65,
  }
}
function macOf(accountKey, deviceId, publicKey) {
  const key = hkdf(accountKey, uuidBytes(deviceId), label('service/device/1'))
  return crypto.createHmac('sha256', key).update(uuidBytes(deviceId)).update(publicKey).digest()
}
async function ownDevice(accountKey) {
  const context = { key: accountKey, purpose: 'device-secret', context: NO_CONTEXT }
  const kept = await readFile('owner.device').catch(() => undefined)
  if (kept !== undefined) return deviceOf(open(kept, context).content)
  const secret = concat([Buffer.of(1), uuidBytes(crypto.randomUUID()), crypto.randomBytes(64)])
  const device = deviceOf(secret)
  const mac = macOf(accountKey, device.id, device.publicKey).toString('base64')
  await call('POST', '/v1/devices', {
    body: { device_id: device.id, public_key: device.publicKey.toString('base64'), mac },
  })
  await writeFile('owner.device', seal({ ...context, content: secret }))
  return device
}
const COSE = { contentType: 'application/service-manifest+cbor', algorithms: [-19, -49] }
function toBeSigned(payload, keyId) {
  const body = encode(new Map([[3, COSE.contentType]]))
  const headers = COSE.algorithms.map((algorithm) =>
    encode(
      new Map([
        [1, algorithm],
        [4, keyId],
      ]),
    ),
  )
  return { body, headers, structures: headers.map((header) => encode(['Signature', body, header, NONE, payload])) }
}
function signManifest(device, fields) {
  const payload = encode(fields)
  const { body, headers, structures } = toBeSigned(payload, sha256(device.publicKey))
  const signatures = [device.ed25519, device.mlDsa65].map((key, index) => [
    headers[index],
    new Map(),
    crypto.sign(null, structures[index], key),
  ])
  return concat([fromHex('d862'), encode([body, new Map(), payload, signatures])])
}
/** The fields of a manifest that `publicKey` has signed, both halves. */
function verifyManifest(provenance, publicKey) {
  insist(provenance.subarray(0, 2).equals(fromHex('d862')), 'not a COSE_Sign message')
  const [[body, unprotected, payload, signatures], rest] = decodeStrictly(provenance.subarray(2))
  const expected = toBeSigned(payload, sha256(publicKey))
  insist(
    rest.length === 0 && unprotected.size === 0 && body.equals(expected.body) && signatures.length === 2,
    'not a manifest',
  )
  for (const [index, jwk] of [
    { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url', 0, 32) },
    { kty: 'AKP', alg: 'ML-DSA-65', pub: publicKey.toString('base64url', 32) },
  ].entries()) {
    const [header, none, signature] = signatures[index]
    insist(none.size === 0 && header.equals(expected.headers[index]), 'another key or algorithm')
    const holds = crypto.verify(
      null,
      expected.structures[index],
      crypto.createPublicKey({ key: jwk, format: 'jwk' }),
      signature,
    )
    insist(holds, 'a signature of the manifest does not verify')
  }
  return decodeStrictly(payload)[0]
}

// ---- Links: everything about one derives from the account key and its id ----

function linkOf(accountKey, id) {
  const opaqueId = fromHex(id)
  const secret = hkdf(accountKey, opaqueId, label('service/link-secret/1'), 16)
  // X-Wing: the seed expands to the seed of ML-KEM-768 and an X25519 private key.
  const seed = hkdf(accountKey, opaqueId, label('service/drop-key/1'))
  const expanded = crypto.createHash('shake256', { outputLength: 96 }).update(seed).digest()
  const mlKem = privateKey('3054020100300b060960864801650304040204428040', expanded.subarray(0, 64))
  const x25519 = privateKey('302e020100300506032b656e04220420', expanded.subarray(64))
  const publicKey = concat([rawPublic(mlKem, 1184), rawPublic(x25519, 32)])
  const keyHash = sha256(label('service/link/1'), uint32(1), opaqueId, publicKey)
  return {
    opaqueId,
    secret,
    publicKey,
    url: `${BLINDKEEP_URL}/u/${id}#${concat([Buffer.of(1), secret, keyHash]).toString('base64url')}`,
    /** K of a drop. */
    keyOf(kemCt) {
      const theirs = crypto.createPublicKey({
        key: concat([fromHex('302a300506032b656e032100'), kemCt.subarray(1088)]),
        format: 'der',
        type: 'spki',
      })
      const agreed = crypto.diffieHellman({ privateKey: x25519, publicKey: theirs })
      const parts = [
        crypto.decapsulate(mlKem, kemCt.subarray(0, 1088)),
        agreed,
        kemCt.subarray(1088),
        publicKey.subarray(1184),
      ]
      const shared = crypto
        .createHash('sha3-256')
        .update(concat([...parts, fromHex('5c2e2f2f5e5c')]))
        .digest()
      return hkdf(
        concat([shared, secret]),
        opaqueId,
        concat([label('service/drop/1'), sha256(publicKey), sha256(kemCt)]),
      )
    },
  }
}
async function makeLink({ accountKey }, labelText, title, from) {
  const id = crypto.randomBytes(16).toString('hex')
  const { opaqueId, secret, publicKey, url } = linkOf(accountKey, id)
  const sealedLabel =
    labelText && seal({ key: accountKey, purpose: 'link-label', context: opaqueId, content: Buffer.from(labelText) })
  const titleKey = hkdf(secret, opaqueId, label('service/link-title/1'))
  const titleHeader = [...(title ? [['name', title]] : []), ...(from ? [['sender', from]] : [])]
  const sealedTitle = seal({ key: titleKey, purpose: 'link-title', context: opaqueId, header: titleHeader })
  const body = {
    opaque_id: id,
    drop_pubkey: publicKey.toString('base64'),
    crypto_suite_id: 1,
    max_total_bytes: 10_000_000_000,
    sealed_title: sealedTitle.toString('base64'),
    ...(BLINDKEEP_PASSPHRASE && {
      passphrase_verifier: verifierOf(BLINDKEEP_PASSPHRASE, opaqueId, secret).toString('base64'),
    }),
    ...(sealedLabel && { sealed_label: sealedLabel.toString('base64') }),
  }
  await call('POST', '/v1/drops/links', { body })
  console.log(url)
}
function verifierOf(typed, opaqueId, linkSecret) {
  const text = typed.normalize('NFKC')
  const heard = text
    .replace(/[\p{White_Space}\p{Dash}\p{Cf}]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
  return argon2(
    heard === '' ? text : heard,
    sha256(label('service/passphrase/2'), opaqueId, linkSecret).subarray(0, 16),
  )
}

// ---- The inbox ----

function contextOf(accountKey, { opaque_id, kem_ct }) {
  const { opaqueId, keyOf } = linkOf(accountKey, opaque_id)
  const key = (kemCt) => {
    insist(kemCt.equals(fromBase64(kem_ct)), 'the inbox lists another key than the drop has')
    return keyOf(kemCt)
  }
  return { key, purpose: 'original', context: opaqueId }
}
async function dropOf(dropId) {
  const { drops } = await json(call('GET', '/v1/drops'))
  return drops.find(({ drop_id }) => drop_id === dropId) ?? insist(false, 'there is no such drop')
}
async function inbox({ accountKey }) {
  const { drops } = await json(call('GET', '/v1/drops'))
  for (const drop of drops) {
    const content = (range) =>
      bytesOf(call('GET', `/v1/drops/${drop.drop_id}/content`, { headers: { Range: `bytes=0-${range - 1}` } }))
    let sealed = await content(2210)
    if (prefixLength(sealed) > sealed.length) sealed = await content(prefixLength(sealed))
    const { header } = open(sealed, { ...contextOf(accountKey, drop), whole: false })
    // The sender's words: show them as text only.
    console.log(line({ drop_id: drop.drop_id, received_at: drop.received_at, ...Object.fromEntries(header) }))
  }
}
async function openDrop({ accountKey }, dropId) {
  const drop = await dropOf(dropId)
  const sealed = await bytesOf(call('GET', `/v1/drops/${dropId}/content`))
  const { content } = open(sealed, contextOf(accountKey, drop))
  insist(sha256(sealed).toString('hex') === drop.ciphertext_hash, 'the server gives other bytes than it lists')
  process.stdout.write(content)
}

// ---- Assets ----

const albumKey = (accountKey, albumId) =>
  hkdf(accountKey, uuidBytes(albumId), concat([label('service/album/1'), uint32(1)]))
const wrapOf = (accountKey, albumId, fileId) => ({
  key: hkdf(albumKey(accountKey, albumId), uuidBytes(fileId), label('service/asset-wrap/1')),
  purpose: 'asset-key',
  context: uuidBytes(fileId),
})
const derivedKey = (accountKey, albumId, fileId) =>
  hkdf(albumKey(accountKey, albumId), uuidBytes(fileId), label('service/asset/1'))

/** The first album, or a new one. */
async function anAlbum(accountKey) {
  const { albums } = await json(call('GET', '/v1/albums'))
  if (albums.length > 0) return albums[0].album_id
  const albumId = crypto.randomUUID()
  const sealed = seal({
    key: accountKey,
    purpose: 'album-name',
    context: uuidBytes(albumId),
    content: Buffer.from('Kept'),
  })
  await call('POST', '/v1/albums', { body: { album_id: albumId, sealed_name: sealed.toString('base64') } })
  return albumId
}
/** Metadata, manifest and its signature for an original of this hash. */
async function bundle(account, { albumId, fileId, key, keyMode, hash, plaintextSize, facts }) {
  const device = await ownDevice(account.accountKey)
  const metadata = seal({ key, purpose: 'metadata', context: uuidBytes(fileId), header: facts })
  insist(window.min <= '2026-11-01' && '2026-11-01' <= window.max, 'the server does not speak this version')
  const envelope = {
    crypto_suite_id: 1,
    protocol_version: '2026-11-01',
    album_id: albumId,
    file_id: fileId,
    amk_version: 1,
    ciphertext_hash: hash,
    plaintext_size: plaintextSize,
    chunk_size: SEGMENT,
    key_mode: keyMode,
    metadata_blob_hash: sha256(metadata).toString('hex'),
    original_blob_hash: hash,
    created_by_user: account.accountId,
    created_by_device: device.id,
    client_version: 'example-owner 1',
    timestamp: new Date().toISOString(),
    action: 'create',
  }
  const fields = new Map(Object.entries(envelope))
  if (keyMode === 'wrapped')
    fields.set('wrapped_key', seal({ ...wrapOf(account.accountKey, albumId, fileId), content: key }))
  return { envelope, metadata, provenance: signManifest(device, fields) }
}
const declarationOf = (envelope, size, hash) => ({
  album_id: envelope.album_id,
  size,
  hash,
  content_type: 'application/octet-stream',
  crypto_suite_id: envelope.crypto_suite_id,
  protocol_version: envelope.protocol_version,
  key_mode: envelope.key_mode,
  manifest_envelope: { ...envelope, ciphertext_hash: hash },
})
async function sendBlob(envelope, role, sealed) {
  const body = { ...declarationOf(envelope, sealed.length, sha256(sealed).toString('hex')), blob_role: role }
  const { upload_id, suggested_chunk_size: chunkSize } = await json(call('POST', '/v1/upload', { body }))
  for (let offset = 0; offset < sealed.length; offset += chunkSize) {
    const chunk = sealed.subarray(offset, offset + chunkSize)
    const headers = {
      'Content-Type': 'application/octet-stream',
      'X-Service-Offset': String(offset),
      'X-Service-Checksum': sha256(chunk).toString('hex'),
    }
    await call('PATCH', `/v1/upload/${upload_id}`, { headers, bytes: chunk })
  }
}
async function adopt(account, dropId) {
  const drop = await dropOf(dropId)
  const context = contextOf(account.accountKey, drop)
  const sealed = await bytesOf(call('GET', `/v1/drops/${dropId}/content`, { headers: { Range: 'bytes=0-67000' } }))
  const { header } = open(sealed, { ...context, whole: false })
  const data = drop.size - prefixLength(sealed)
  const [albumId, fileId] = [await anAlbum(account.accountKey), crypto.randomUUID()]
  const { envelope, metadata, provenance } = await bundle(account, {
    albumId,
    fileId,
    key: context.key(fromBase64(drop.kem_ct)),
    keyMode: 'wrapped',
    hash: drop.ciphertext_hash,
    plaintextSize: data - 16 * Math.ceil(data / (SEGMENT + 16)),
    facts: [...header].filter(([name]) => name !== 'size'),
  })
  const body = { ...declarationOf(envelope, drop.size, drop.ciphertext_hash), asset_id: fileId }
  await call('POST', `/v1/drops/${dropId}/adopt`, { body })
  await sendBlob(envelope, 'metadata', metadata)
  await sendBlob(envelope, 'provenance', provenance)
  console.log(fileId)
}
async function upload(account, file) {
  const [albumId, fileId, content] = [await anAlbum(account.accountKey), crypto.randomUUID(), await readFile(file)]
  const key = derivedKey(account.accountKey, albumId, fileId)
  const facts = [
    ['name', basename(file)],
    ['modified_at', (await stat(file)).mtime.toISOString()],
  ]
  const sealed = seal({ key, purpose: 'original', context: uuidBytes(fileId), content, header: facts })
  const hash = sha256(sealed).toString('hex')
  const made = { albumId, fileId, key, keyMode: 'derived', hash, plaintextSize: content.length, facts }
  const { envelope, metadata, provenance } = await bundle(account, made)
  await sendBlob(envelope, 'original', sealed)
  await sendBlob(envelope, 'metadata', metadata)
  await sendBlob(envelope, 'provenance', provenance)
  console.log(fileId)
}
async function read({ accountKey, accountId }, assetId, consent) {
  const asset = await json(call('GET', `/v1/assets/${assetId}`))
  const blobOf = async (role, hash = asset.blobs.find((blob) => blob.role === role)?.hash) => {
    const sealed = await bytesOf(call('GET', `/v1/blob/${hash}`))
    insist(sha256(sealed).toString('hex') === hash, `the ${role} has another hash`)
    return sealed
  }
  const { devices } = await json(call('GET', '/v1/devices'))
  const device = devices.find(({ device_id }) => device_id === asset.envelope.created_by_device)
  const publicKey = fromBase64(device?.public_key ?? '')
  const isOwn =
    device !== undefined && fromBase64(device.mac ?? '').equals(macOf(accountKey, device.device_id, publicKey))
  insist(isOwn, 'signed by a device that is not one of this account')
  if (device.revoked_at != null) {
    const mark = `signed by a device that was revoked ${device.revoked_at}: a person who has it may have put another file there`
    insist(consent === 'revoked', `${mark}. Add: revoked`)
    console.error(`owner: ${mark}`)
  }
  const manifest = verifyManifest(await blobOf('provenance'), publicKey)
  const isOfAsset = manifest.get('file_id') === assetId && manifest.get('created_by_user') === accountId
  insist(isOfAsset && manifest.get('created_by_device') === device.device_id, 'signed for another asset')
  const albumId = manifest.get('album_id')
  const wrapped = manifest.get('wrapped_key')
  const key = wrapped
    ? open(wrapped, wrapOf(accountKey, albumId, assetId)).content
    : derivedKey(accountKey, albumId, assetId)
  const metadata = open(await blobOf('metadata', manifest.get('metadata_blob_hash')), {
    key,
    purpose: 'metadata',
    context: uuidBytes(assetId),
  })
  const context = wrapped && asset.drop ? fromHex(asset.drop.opaque_id) : uuidBytes(assetId)
  const { content } = open(await blobOf('original', manifest.get('ciphertext_hash')), {
    key,
    purpose: 'original',
    context,
  })
  console.error(line(Object.fromEntries(metadata.header)))
  process.stdout.write(content)
}

// ---- The command ----

const COMMANDS = { link: makeLink, inbox, open: openDrop, adopt, upload, read }
if (command === 'register') await register()
else if (command === 'recover') await recover(given[0])
else if (Object.hasOwn(COMMANDS, command)) await COMMANDS[command](await signIn(), ...given)
else throw new Error('register, recover, link, inbox, open, adopt, upload or read')
