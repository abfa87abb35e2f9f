import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { CappedMap } from '@blindkeep/protocol/cappedMap'
import { CompactSign, compactVerify } from 'jose'
import { ed25519Key, publicBytes } from '../../ground/signatures.ts'
import type { TokenSigner } from '../../ports/keyring.ts'

const ALGORITHM = 'EdDSA'
/** The server's own tokens have a few hundred characters. Longer ones are refused unread. */
const MAX_TOKEN_CHARACTERS = 8192
/** Valid tokens that are remembered, so that their signatures need no second check. About 1 KB each. */
const MAX_REMEMBERED = 4096

/** 64 bytes leave four bits of the last character unused. They must be zero: each token has one spelling. */
const tokenForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

export function createTokenSigner(seed: Uint8Array): TokenSigner {
  const privateKey = ed25519Key(seed)
  const publicKey = createPublicKey(privateKey)
  const validTokens = createMemory()
  return {
    publicKey: publicBytes(privateKey),
    async sign({ typ }, claims) {
      const payload = encoder.encode(JSON.stringify(sorted(claims)))
      return new CompactSign(payload).setProtectedHeader({ alg: ALGORITHM, typ }).sign(privateKey)
    },
    async verify(typ, token) {
      if (token.length > MAX_TOKEN_CHARACTERS || !tokenForm.test(token)) return undefined
      return validTokens.of(`${typ} ${token}`, async () => {
        const verified = await verifyWith(publicKey, token)
        if (verified === undefined || !isOurHeader(verified.protectedHeader, typ)) return undefined
        return parseClaims(verified.payload)
      })
    },
  }
}

type Claims = Readonly<Record<string, unknown>>

/**
 * Remembers valid tokens: a client sends the same token with each request, and a valid signature stays valid. The
 * caller checks each time whether the token has expired. Tokens are remembered by their hashes, so that memory has no
 * list of tokens. Refused ones are not remembered: anyone could fill the memory.
 */
function createMemory() {
  const known = new CappedMap<string, Claims>(MAX_REMEMBERED)
  return {
    async of(text: string, verify: () => Promise<Claims | undefined>): Promise<Claims | undefined> {
      const key = hash('sha256', text, 'base64')
      const present = known.get(key)
      if (present !== undefined) return present
      const claims = await verify()
      if (claims === undefined) return undefined
      known.set(key, Object.freeze(claims))
      return claims
    },
  }
}

/** Equal claims give equal tokens, in whatever order the caller wrote them. */
function sorted(claims: Readonly<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(claims).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function verifyWith(publicKey: KeyObject, token: string) {
  try {
    // The list excludes `none`, and HMAC under the public key (RFC 8725, section 3.1).
    return await compactVerify(token, publicKey, { algorithms: [ALGORITHM] })
  } catch {
    return undefined
  }
}

/** `typ` keeps a token from use as another kind (RFC 8725, section 3.11). No other members are signed or accepted. */
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
