// Checks one custody receipt with Node 24 and no package: node checkReceipt.mjs <address of the server> [file]
// The file, or standard input, has an AssetReceipt, perhaps with the page's keys and file: docs/for-client-authors.md
import assert from 'node:assert/strict'
import { createPublicKey, hash, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

process.on('uncaughtException', (error) => {
  console.error(`not shown to hold: ${error.message}`)
  process.exit(1)
})
const [address, file = 0] = process.argv.slice(2)
const { server_id, keys = [] } = await (await fetch(`${address}/.well-known/service/attestation-keys`)).json()
const { receipt_cbor, server_key_id, ...saved } = JSON.parse(readFileSync(file, 'utf8'))
const { keys: _keys, moves: _moves, rotations: _rotations, file: _file, ...members } = saved
const isNamed = (key) => hash('sha256', Buffer.from(key.public, 'base64')) === server_key_id
const { public: text, active_from, active_to } = keys.find(isNamed) ?? assert.fail('the server publishes no such key')
const key = Buffer.from(text, 'base64')
// Only payload and signatures vary in 98([header, {}, payload, [[signHeader, {}, signature], …]]).
const hex = (content) => Buffer.from(content).toString('hex')
const header = `5824a1037820${hex('application/service-receipt+cbor')}`
const [ed25519Header, mlDsa65Header] = ['5826a20132', '5827a2013830'].map((start) => `${start}045820${server_key_id}`)
const form = `^d86284${header}a0(59.*)8283${ed25519Header}a05840(.{128})83${mlDsa65Header}a0590ced(.{6618})$`
const parts = hex(Buffer.from(receipt_cbor, 'base64')).match(form)
const [, payload, ed25519, mlDsa65] = parts ?? assert.fail('the bytes are not of the one form of a receipt by this key')

for (const [signHeader, signature, jwk] of [
  [ed25519Header, ed25519, { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url', 0, 32) }],
  [mlDsa65Header, mlDsa65, { kty: 'AKP', alg: 'ML-DSA-65', pub: key.toString('base64url', 32) }],
]) {
  // Sig_structure (RFC 9052, section 4.4): ["Signature", header, signHeader, h'', payload].
  const toBeSigned = Buffer.from(`8569${hex('Signature')}${header}${signHeader}40${payload}`, 'hex')
  const holds = verify(null, toBeSigned, createPublicKey({ key: jwk, format: 'jwk' }), Buffer.from(signature, 'hex'))
  assert(holds, `the ${jwk.crv ?? jwk.alg} signature does not verify`)
}

let unread = Buffer.from(payload, 'hex')
/** Reads the next number, text or byte string (as hex): CBOR (RFC 8949) with the shortest lengths. */
function next() {
  const [kind, short] = [unread[0] >> 5, unread[0] & 31]
  const width = short < 24 ? 0 : 2 ** (short - 24)
  const number = width === 0 ? short : Number(`0x${unread.toString('hex', 1, 1 + width)}`)
  const end = 1 + width + (kind === 0 ? 0 : number)
  const isShortest = number >= (width < 2 ? 24 * width : 256 ** (width / 2))
  assert([0, 2, 3].includes(kind) && end <= unread.length && isShortest, 'the payload is not CBOR of a receipt')
  const content = unread.subarray(1 + width, end)
  unread = unread.subarray(end)
  return kind === 0 ? number : content.toString(kind === 2 ? 'hex' : 'utf8')
}
const map = Buffer.from(next(), 'hex')
assert(unread.length === 0, 'there are bytes after the payload')
unread = map.subarray(1)
const fields = {}
while (unread.length > 0) fields[next()] = next()
assert(map[0] === 0xa0 + Object.keys(fields).length, 'the payload is not one map, or has a field twice')
assert(fields.version === 'service/receipt/1', 'the payload has another version')
assert(fields.server_id === server_id && server_id === new URL(address).origin, 'the receipt is of another server')
const [from, at, to] = [active_from, fields.received_at, active_to ?? '9999'].map((time) => Date.parse(time))
assert(from <= at && at <= to, 'its key was not the active one at that time')
for (const name in members) assert.equal(members[name] ?? undefined, fields[name], `${name} is not the signed value`)
console.log('%O\nholds', fields)
