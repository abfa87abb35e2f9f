// Checks a custody receipt of a server that has moved to another address, with Node 24 and no package:
//   node checkMovedReceipt.mjs <address of the server> [file]
// The file, or standard input, has an AssetReceipt. Steps and statements: docs/formats.md, "A server moves".
import assert from 'node:assert/strict'
import { createPublicKey, hash, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

process.on('uncaughtException', (error) => {
  console.error(`not shown to hold: ${error.message}`)
  process.exit(1)
})
const [address, file = 0] = process.argv.slice(2)
const ask = async (name) => {
  const answer = await fetch(`${address}/.well-known/service/${name}`, { redirect: 'error' })
  assert(answer.ok || (answer.status === 404 && name === 'moves'), `${name} answers ${answer.status}`)
  return answer.ok ? answer.json() : undefined
}
const { server_id, keys = [] } = await ask('attestation-keys')
/** Undefined before the first move: then all receipts have the present name. */
const statementsOf = await ask('moves')
const receipt = JSON.parse(readFileSync(file, 'utf8'))

const hex = (content) => Buffer.from(content).toString('hex')
const sha256 = (content) => hash('sha256', content)
for (const key of keys) key.bytes = Buffer.from(key.public, 'base64')
for (const key of keys) key.id = sha256(key.bytes)

/** The signed map of a message by this key. Only payload and signatures vary in its bytes. */
function open(base64, type, key) {
  const header = hex(Buffer.concat([Uint8Array.of(0xa1, 0x03, 0x78, type.length), Buffer.from(type)]))
  const [ed25519Header, mlDsa65Header] = ['5826a20132', '5827a2013830'].map((start) => `${start}045820${key.id}`)
  const start = `^d8628458${(header.length / 2).toString(16)}${header}a0(5[89].*)8283`
  const form = `${start}${ed25519Header}a05840(.{128})83${mlDsa65Header}a0590ced(.{6618})$`
  const parts = hex(Buffer.from(base64, 'base64')).match(form)
  const [, payload, ed25519, mlDsa65] = parts ?? assert.fail(`it is not of the one form of ${type} by its key`)
  for (const [signHeader, signature, jwk] of [
    [ed25519Header, ed25519, { kty: 'OKP', crv: 'Ed25519', x: key.bytes.toString('base64url', 0, 32) }],
    [mlDsa65Header, mlDsa65, { kty: 'AKP', alg: 'ML-DSA-65', pub: key.bytes.toString('base64url', 32) }],
  ]) {
    const body = `58${(header.length / 2).toString(16)}${header}`
    const toBeSigned = Buffer.from(`8569${hex('Signature')}${body}${signHeader}40${payload}`, 'hex')
    const holds = verify(null, toBeSigned, createPublicKey({ key: jwk, format: 'jwk' }), Buffer.from(signature, 'hex'))
    assert(holds, `a signature of ${type} does not verify`)
  }
  return read(payload)
}

/** The map in a byte string: numbers, texts, byte strings (as hex). CBOR (RFC 8949) with the shortest lengths. */
function read(payload) {
  let unread = Buffer.from(payload, 'hex')
  const next = () => {
    const [kind, short] = [unread[0] >> 5, unread[0] & 31]
    const width = short < 24 ? 0 : 2 ** (short - 24)
    const number = width === 0 ? short : Number(`0x${unread.toString('hex', 1, 1 + width)}`)
    const end = 1 + width + (kind === 0 ? 0 : number)
    const isShortest = number >= (width < 2 ? 24 * width : 256 ** (width / 2))
    assert([0, 2, 3].includes(kind) && end <= unread.length && isShortest, 'a payload is not CBOR of its form')
    const content = unread.subarray(1 + width, end)
    unread = unread.subarray(end)
    return kind === 0 ? number : content.toString(kind === 2 ? 'hex' : 'utf8')
  }
  const map = Buffer.from(next(), 'hex')
  assert(unread.length === 0, 'there are bytes after a payload')
  unread = map.subarray(1)
  const fields = {}
  while (unread.length > 0) fields[next()] = next()
  assert(map[0] === 0xa0 + Object.keys(fields).length, 'a payload is not one map, or has a field twice')
  return { fields, hash: sha256(map) }
}

/** The name of each key, its first and last receipt, and until when the server had that name. */
function readEras({ moves, rotations }) {
  const waiting = { move: [...moves], rotation: [...rotations] }
  /** Whether the next statement of the kind is by this key, whose id stands in a header of its message. */
  const begins = (kind, { id }) => hex(Buffer.from(waiting[kind][0]?.arrive ?? '', 'base64')).includes(`045820${id}`)
  const statements = keys.slice(1).map((key, index) => {
    const kind = ['move', 'rotation'].find((each) => begins(each, key)) ?? assert.fail('a key has no statement')
    return openStatement(kind, waiting[kind].shift(), { before: keys[index], key })
  })
  assert(waiting.move.length + waiting.rotation.length === 0, 'a statement is about no key of the list')
  assert(new Set(keys.map(({ id }) => id)).size === keys.length, 'a key is there twice')

  const names = statements.flatMap(({ from, to }) => (from === undefined ? [] : [from, to]))
  // They are printed below.
  assert(
    names.every((each) => /^https?:\/\/[a-z0-9_.:[\]-]{1,300}$/.test(each)),
    'a name is no origin',
  )
  let name = names[0] ?? server_id
  let [priorMove, number, head] = [undefined, 0, { seq: 0, hash: undefined }]
  const eras = keys.map((_, index) => {
    const era = { name, after: head, until: statements.slice(index).find(({ kind }) => kind === 'move')?.moved_at }
    const end = statements[index]
    if (end === undefined) return era
    const next = { seq: end.last_receipt_seq ?? 0, hash: end.last_receipt_hash }
    assert((end.from ?? end.server_id) === name, 'a statement is not by the name before it')
    assert(next.seq > head.seq || (next.seq === head.seq && next.hash === head.hash), 'the newest receipt went back')
    if (end.kind === 'move') {
      number += 1
      assert(end.number === number && end.prior_move_hash === priorMove && end.to !== name, 'a move does not continue')
      ;[name, priorMove] = [end.to, end.hash]
    }
    head = next
    return { ...era, upTo: next }
  })
  assert(name === server_id, 'the last name is not that of the server')
  return eras
}

function openStatement(kind, { leave, arrive }, { before, key }) {
  const type = `application/service-${kind}+cbor`
  const [{ fields, hash: payloadHash }, arrived] = [open(leave, type, before), open(arrive, type, key)]
  assert(payloadHash === arrived.hash, 'the two keys have signed different statements')
  assert(fields.version === `service/${kind}/1`, 'a statement has another version')
  assert(fields.old_key === before.id && fields.new_key === key.id, 'a statement is about other keys')
  const at = fields.moved_at ?? fields.rotated_at
  assert(/^[\d-]{10}T[\d:.]{12}Z$/.test(at), 'a statement has no time')
  const times = [at, before.active_to, key.active_from].map((time) => Date.parse(time))
  assert(times[0] === times[1] && times[0] === times[2], 'a statement has another time than its keys')
  return { ...fields, kind, hash: payloadHash }
}

assert(server_id === new URL(address).origin, 'the server has another name than its address')
const eras = statementsOf && readEras(statementsOf)
const index = keys.findIndex(({ id }) => id === receipt.server_key_id)
const [key, era] = [
  keys[index] ?? assert.fail('the server publishes no such key'),
  eras?.[index] ?? { name: server_id, after: {} },
]
const { fields } = open(receipt.receipt_cbor, 'application/service-receipt+cbor', key)
assert(fields.version === 'service/receipt/1' && fields.server_id === era.name, 'the receipt is of another server')
const [from, at, to] = [key.active_from, fields.received_at, key.active_to ?? '9999'].map((time) => Date.parse(time))
assert(from <= at && at <= to, 'its key was not the active one at that time')
const {
  receipt_cbor,
  server_key_id,
  keys: _keys,
  moves: _moves,
  rotations: _rotations,
  file: _file,
  ...members
} = receipt
for (const member in members)
  assert.equal(members[member] ?? undefined, fields[member], `${member} is not the signed value`)

const [seq, { after, upTo = { seq } }] = [fields.receipt_seq, era]
const isOther = seq === upTo.seq && upTo.hash !== undefined && upTo.hash !== sha256(Buffer.from(receipt_cbor, 'base64'))
const isLoose = seq === after.seq + 1 && fields.prior_receipt_hash !== after.hash
const denied = `signed by this key, but ${server_id} denies it: it has forgotten what it signed, or the key was stolen`
assert((after.seq ?? 0) < seq && seq <= upTo.seq && !isOther && !isLoose, denied)
console.log('%O\nholds', fields)
if (era.until !== undefined)
  console.log(`signed by a key that ${server_id} lists as its own; it says that it was ${era.name} until ${era.until}`)
