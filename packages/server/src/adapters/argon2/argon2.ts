import crypto, { type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto'
import { createTurns } from '@blindkeep/protocol/turns'
import { createOrderThread } from '../../ground/orderThread.ts'
import { HasherBusy, type SecretHasher } from '../../ports/secrets.ts'
import type { Argon2Order } from './argon2Worker.ts'

/** Argon2id (RFC 9106): 19 MiB, 2 passes, 1 lane. `memory` is in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32
/** One source may have this part of the queue. */
const SHARE = 1 / 4

/** The PHC string format, with base64 without padding: 22 characters are 16 bytes, 43 are 32. */
const PREFIX = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$`
const encoded = /^([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

interface Parsed {
  readonly salt: Buffer
  readonly tag: Buffer
}

/** `derive` is Node's own where Node has it. */
interface HasherOptions {
  /** More than `queueMax` that wait are refused, and more than its part of them of one source. */
  readonly concurrent: number
  readonly queueMax: number
  readonly derive?: Derive
}
type Derive = (secret: string, nonce: Buffer) => Promise<Uint8Array>

/** Runs at most `concurrent` hashes at once: each takes 19 MiB and a thread of the pool. */
export function createSecretHasher(options: HasherOptions): SecretHasher {
  const { derive = 'argon2' in crypto ? deriveInPool : deriveOnThread, concurrent, queueMax } = options
  const turns = createTurns({
    most: concurrent,
    mostWaiting: queueMax,
    ofSource: { mostWaiting: Math.ceil(queueMax * SHARE) },
    busy: () => new HasherBusy('too many secrets wait to be hashed'),
  })
  // No secret has this hash: the tag is random.
  const dummy: Parsed = { salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) }
  return {
    async hash(secret, source) {
      const salt = randomBytes(SALT_BYTES)
      const tag = Buffer.from(await turns.take(() => derive(secret, salt), { source }))
      return `${PREFIX}${unpadded(salt)}$${unpadded(tag)}`
    },
    async verify(hash, secret, source) {
      const expected = hash === undefined ? dummy : parse(hash)
      const tag = await turns.take(() => derive(secret, expected.salt), { source })
      return timingSafeEqual(tag, expected.tag) && hash !== undefined
    },
  }
}

/** A hash in JavaScript takes some hundred milliseconds, and its 19 MiB are outside the heap. */
const onThread = createOrderThread<Argon2Order, Uint8Array>(new URL('./argon2Worker.ts', import.meta.url), 'argon2')

/** In JavaScript, for a Node without Argon2. */
export function deriveOnThread(secret: string, nonce: Buffer): Promise<Uint8Array> {
  return onThread({ ...COST, message: Buffer.from(secret, 'utf8'), nonce, tagLength: TAG_BYTES })
}

function deriveInPool(secret: string, nonce: Buffer): Promise<Buffer> {
  const parameters: Argon2Parameters = { ...COST, message: Buffer.from(secret, 'utf8'), nonce, tagLength: TAG_BYTES }
  return new Promise((resolve, reject) => {
    crypto.argon2('argon2id', parameters, (error, tag) => {
      if (error === null) resolve(tag)
      else reject(error)
    })
  })
}

/** Throws for anything that `hash` does not create: the text is from the store, so that is a fault, no wrong secret. */
function parse(hash: string): Parsed {
  const [, saltText, tagText] = hash.startsWith(PREFIX) ? (encoded.exec(hash.slice(PREFIX.length)) ?? []) : []
  if (saltText === undefined || tagText === undefined)
    throw new Error('not a PHC string with the cost that is used here')
  const parsed = { salt: Buffer.from(saltText, 'base64'), tag: Buffer.from(tagText, 'base64') }
  const isCanonical = unpadded(parsed.salt) === saltText && unpadded(parsed.tag) === tagText
  if (!isCanonical) throw new Error('a PHC string with unused bits that are not zero')
  return parsed
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
