import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { CompactSign, compactVerify } from 'jose'
import type { TokenSigner } from '../../ports/keyring.ts'
import { ed25519Key, publicBytes } from './keys.ts'

const ALGORITHM = 'EdDSA'
/** Our own tokens are a few hundred; nothing longer is worth looking at. */
const MAX_TOKEN_CHARACTERS = 8192
/** Tokens that have been found good and need no second look at their signature: the claims of each, about 1 KB. */
const MAX_REMEMBERED = 4096

/** 64 bytes of signature leave four bits of the last character unused: zero here, so that nobody can spell one token in several ways. */
const tokenForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

export function createTokenSigner(seed: Uint8Array): TokenSigner {
  const privateKey = ed25519Key(seed)
  const publicKey = createPublicKey(privateKey)
  const good = createMemory()
  return {
    publicKey: publicBytes(privateKey),
    async sign({ typ }, claims) {
      const payload = encoder.encode(JSON.stringify(sorted(claims)))
      return new CompactSign(payload).setProtectedHeader({ alg: ALGORITHM, typ }).sign(privateKey)
    },
    async verify(typ, token) {
      if (token.length > MAX_TOKEN_CHARACTERS || !tokenForm.test(token)) return undefined
      return good.of(`${typ} ${token}`, async () => {
        const verified = await verifyWith(publicKey, token)
        if (verified === undefined || !isOurHeader(verified.protectedHeader, typ)) return undefined
        return parseClaims(verified.payload)
      })
    },
  }
}

type Claims = Readonly<Record<string, unknown>>

/**
 * A client shows the same token with each of its requests, and a signature that held once holds for ever: whether its time is over is the caller's to
 * judge anew. Kept by their hashes, so that no list of tokens lies in memory; what was refused is not kept, or strangers could fill the room.
 */
function createMemory() {
  const known = new Map<string, Claims>()
  return {
    async of(text: string, verify: () => Promise<Claims | undefined>): Promise<Claims | undefined> {
      const key = createHash('sha256').update(text).digest('base64')
      const present = known.get(key)
      if (present !== undefined) return present
      const claims = await verify()
      if (claims === undefined) return undefined
      known.set(key, Object.freeze(claims))
      const [oldest] = known.keys()
      if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest)
      return claims
    },
  }
}

/** The promise that equal claims give equal tokens should not hang on the order in which a caller wrote them down. */
function sorted(claims: Readonly<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(claims).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function verifyWith(publicKey: KeyObject, token: string) {
  try {
    // The list shuts out `none` and HMAC under the public key (RFC 8725, section 3.1).
    return await compactVerify(token, publicKey, { algorithms: [ALGORITHM] })
  } catch {
    return undefined
  }
}

/** `typ` keeps a token of one kind from standing for another (RFC 8725, section 3.11). We sign no other member, so no other is accepted. */
function isOurHeader(header: Readonly<Record<string, unknown>>, typ: string): boolean {
  return header.alg === ALGORITHM && header.typ === typ && Object.keys(header).length === 2
}

function parseClaims(payload: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const claims: unknown = JSON.parse(decoder.decode(payload))
    return isRecord(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
