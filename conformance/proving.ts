/** Keys of Ed25519, and the proofs that requests carry in place of a secret. From docs/formats.md alone. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { type Call, json, type Reply } from './call.ts'
import type { Client } from './client.ts'
import { expectAnswer } from './expect.ts'

export interface Key {
  /** 32 bytes, base64. */
  readonly shown: string
  readonly secret: KeyObject
}

/** What a proof is signed for. */
export interface Parts {
  readonly label: string
  readonly method: string
  /** Of the operation, without the base path of the server. */
  readonly path: string
  readonly serverId: string
  readonly nonce: string
  /** The other members of the body. Those without a value do not count. */
  readonly members: object
}

/** A request whose body needs a proof. */
export interface Provable extends Call {
  readonly json: object
}

export interface Proof {
  readonly key: string
  readonly nonce: string
  readonly signature: string
}

/** What stands before the seed of a private key (RFC 8410). */
const BEFORE_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A client derives the seed (32 bytes) from a password, from words or by a passkey. A server cannot tell. */
export function newKey(seed: Uint8Array = randomBytes(32)): Key {
  const secret = createPrivateKey({ key: Buffer.concat([BEFORE_SEED, seed]), format: 'der', type: 'pkcs8' })
  const { x } = createPublicKey(secret).export({ format: 'jwk' })
  return { shown: Buffer.from(String(x), 'base64url').toString('base64'), secret }
}

export function messageOf({ label, method, path, serverId, nonce, members }: Parts): Buffer {
  const texts = [label, `${method} ${path}`, serverId, nonce].map((text) => `${text}\0`).join('')
  const hash = createHash('sha256')
  const present = Object.entries(members).filter(([, value]) => value !== null && value !== undefined)
  for (const [name, value] of present.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const bytes = Buffer.from(String(value))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hash.update(`${name}\0`).update(length).update(bytes)
  }
  return Buffer.concat([Buffer.from(texts), hash.digest()])
}

export function proofOf(key: Key, parts: Parts): Proof {
  return { key: key.shown, nonce: parts.nonce, signature: sign(null, messageOf(parts), key.secret).toString('base64') }
}

/** The parts of a proof for this request, with a new nonce. */
export async function partsOf(client: Client, { method, path, json: members }: Provable): Promise<Parts> {
  return { label: 'service/proof/1', method, path, serverId: client.serverId, nonce: await newNonce(client), members }
}

export async function newNonce(client: Client): Promise<string> {
  const reply = await client.send({ method: 'POST', path: '/v1/auth/nonce' })
  expectAnswer(reply, '200')
  return json<{ nonce: string }>(reply).nonce
}

/** The same request with a proof of `key`. */
export async function proved(client: Client, key: Key, call: Provable): Promise<Provable> {
  const proof = proofOf(key, await partsOf(client, call))
  return { ...call, json: { ...call.json, proof } }
}

export async function sendProved(client: Client, key: Key, call: Provable): Promise<Reply> {
  return client.send(await proved(client, key, call))
}
