/** Proofs that a client has a private key (`@blindkeep/protocol/proof`), and the nonces that bound each in time. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { fromBase64, parseBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { addSeconds, type Instant, instantOf } from '@blindkeep/protocol/ids'
import { type ProvedRequest, proofMessage } from '@blindkeep/protocol/proof'
import type { Proof } from '@blindkeep/protocol/schemas/accounts'
import { isValid, verifyingKey } from '../../ground/signatures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Refuses } from '../ground/refusals.ts'
import { isSame } from '../ground/sameBytes.ts'
import { sha256 } from '../ground/sha256.ts'

/** SHA-256 of a public key, as accounts and passkeys keep it. */
export type KeyHash = Uint8Array

interface ProofPorts {
  readonly clock: Clock
  readonly random: Random
  /** The same at every node. */
  readonly serverSecret: Uint8Array
}

const NONCE_SECONDS = 300
/** How much farther ahead a nonce of another node may be. */
const CLOCK_SECONDS = 10
const EXPIRY_BYTES = 8
const RANDOM_BYTES = 16

/**
 * The encodings of the points of small order, without the bit of the sign: under such a key one signature is valid for
 * many messages. The last two are spellings of 0 and 1 that RFC 8032 forbids and OpenSSL accepts.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

const INVALID = { refused: 'proof_invalid' } as const

export interface ProvedKey {
  readonly keyHash: KeyHash
  /** When the client got the nonce: it decided before. */
  readonly askedAt: Instant
}

export type Proofs = ReturnType<typeof createProofs>

export function createProofs({ clock, random, serverSecret }: ProofPorts, { serverId }: { readonly serverId: string }) {
  function sealed(content: Uint8Array): Uint8Array {
    return createHmac('sha256', serverSecret).update('proof-nonce\0').update(content).digest()
  }

  /** When it was made, if it is good. */
  function madeAt(nonce: string): Instant | undefined {
    const bytes = Buffer.from(parseBase64(nonce) ?? [])
    const content = bytes.subarray(0, EXPIRY_BYTES + RANDOM_BYTES)
    if (!isSame(bytes.subarray(content.length), sealed(content))) return undefined
    const expiresAt = instantOf(Number(content.readBigUInt64BE()))
    const now = clock.now()
    // A clock that was set back would make it good for longer.
    const isGood = expiresAt > now && expiresAt <= addSeconds(now, NONCE_SECONDS + CLOCK_SECONDS)
    return isGood ? addSeconds(expiresAt, -NONCE_SECONDS) : undefined
  }

  return {
    /** For proofs at any node. The server keeps nothing of it. */
    newNonce(): { readonly nonce: string; readonly expiresAt: Instant } {
      const expiresAt = addSeconds(clock.now(), NONCE_SECONDS)
      const content = Buffer.alloc(EXPIRY_BYTES + RANDOM_BYTES)
      content.writeBigUInt64BE(BigInt(expiresAt))
      content.set(random.bytes(RANDOM_BYTES), EXPIRY_BYTES)
      return { nonce: toBase64(Buffer.concat([content, sealed(content)])), expiresAt }
    },

    /** The key that the members of a request prove for its operation at this server. Asks for no account. */
    provedKey(
      operation: ProvedRequest['operation'],
      members: { readonly proof: Proof },
    ): ProvedKey | Refuses<'proof_invalid'> {
      const { key, nonce, signature } = members.proof
      const askedAt = madeAt(nonce)
      if (askedAt === undefined) return INVALID
      const publicKey = fromBase64(key)
      if (isWeak(publicKey)) return INVALID
      const message = proofMessage({ operation, serverId, nonce, members })
      const isProved = isValid(verifyingKey('ed25519', publicKey), message, fromBase64(signature))
      return isProved ? { keyHash: sha256(publicKey), askedAt } : INVALID
    },
  }
}

/** Such a key is no secret of anybody, and proves nothing. */
function isWeak(publicKey: Uint8Array): boolean {
  const unsigned = Buffer.from(publicKey)
  unsigned[31] = (unsigned[31] ?? 0) & 0x7f
  return SMALL_ORDER.has(unsigned.toString('hex'))
}

/** Whether the proved key is the stored one. Compares also without one: the time does not tell whether there is one. */
export function isKey(stored: KeyHash | undefined, proved: KeyHash): boolean {
  return timingSafeEqual(proved, stored ?? new Uint8Array(32)) && stored !== undefined
}

/** A new key that its owner could never prove. */
export function weakKey(member: string, publicKey: Uint8Array | undefined): Refuses<'request_malformed'> | undefined {
  if (publicKey === undefined || !isWeak(publicKey)) return undefined
  return { refused: 'request_malformed', detail: `${member} is a point of small order` }
}
