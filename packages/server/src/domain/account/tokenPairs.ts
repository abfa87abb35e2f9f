/** A short access token, which is signed, and a single-use refresh token, which is a secret. */
import { createHmac } from 'node:crypto'
import { type AccountId, type Instant, instantOf, parseSessionId, type SessionId } from '@blindkeep/protocol/ids'
import type { Session } from '../../ports/store.ts'
import type { SigningKey } from '../discovery/signingKey.ts'
import { isSame } from '../ground/sameBytes.ts'

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  /** Of the access token. */
  readonly expiresAt: Instant
  readonly accountId: AccountId
}

export interface TokenSettings {
  readonly serverId: string
  readonly accessTokenSeconds: number
}

interface TokenPorts {
  readonly tokens: Pick<SigningKey, 'sign' | 'verify' | 'verifyNow'>
  /** Derives a refresh token's successor, the same for an honest repeat, and a MAC that shows reuse without a row. */
  readonly serverSecret: Uint8Array
}

interface AccessClaims {
  readonly sessionId: SessionId
  readonly expiresAtMs: number
}

const ACCESS_TYPE = 'at+jwt'

/** A refresh token is a secret, the id of its session, and a MAC over both. */
const SECRET_BYTES = 32
const MAC_BYTES = 16

export type TokenPairs = ReturnType<typeof createTokenPairs>

export function createTokenPairs({ tokens, serverSecret }: TokenPorts, settings: TokenSettings) {
  const { serverId, accessTokenSeconds } = settings

  function hmac(label: string, bytes: Uint8Array): Buffer {
    return createHmac('sha256', serverSecret).update(`${label}\0`).update(bytes).digest()
  }

  const macOf = (bytes: Uint8Array) => hmac('refresh-mac', bytes).subarray(0, MAC_BYTES)

  function refreshTokenOf(secret: Uint8Array, sessionId: SessionId): Uint8Array {
    const bytes = Buffer.concat([secret, Buffer.from(sessionId)])
    return Buffer.concat([bytes, macOf(bytes)])
  }

  return {
    /** `secret` has 32 random bytes. */
    refreshTokenOf,

    /** The session that this server issued the token for, whether it was used or not. */
    sessionOf(refreshToken: Uint8Array): SessionId | undefined {
      const end = Math.max(SECRET_BYTES, refreshToken.length - MAC_BYTES)
      const isOurs = isSame(refreshToken.subarray(end), macOf(refreshToken.subarray(0, end)))
      return isOurs ? parseSessionId(Buffer.from(refreshToken.subarray(SECRET_BYTES, end)).toString()) : undefined
    },

    /** The same session, refresh token and time give the same pair. */
    async pairOf(
      { sessionId, accountId }: Pick<Session, 'sessionId' | 'accountId'>,
      refreshToken: Uint8Array,
      issuedAt: Instant,
    ): Promise<TokenPair> {
      const iat = Math.floor(issuedAt / 1000)
      const exp = iat + accessTokenSeconds
      const jti = hmac('jti', refreshToken).subarray(0, 16).toString('base64url')
      const claims = { iss: serverId, aud: serverId, sub: accountId, sid: sessionId, jti, iat, exp }
      return {
        accessToken: await tokens.sign({ typ: ACCESS_TYPE }, claims),
        refreshToken: Buffer.from(refreshToken).toString('base64url'),
        expiresAt: instantOf(exp * 1000),
        accountId,
      }
    },

    successorOf: (refreshToken: Uint8Array, sessionId: SessionId): Uint8Array =>
      refreshTokenOf(hmac('refresh', refreshToken), sessionId),

    /** Whether the present signing key has signed the access token. */
    async isSigned(accessToken: string): Promise<boolean> {
      return (await tokens.verifyNow(ACCESS_TYPE, accessToken)) !== undefined
    },

    /** Undefined unless this server signed the token. It may have expired, or its key been replaced. */
    async read(accessToken: string): Promise<AccessClaims | undefined> {
      const claims = await tokens.verify(ACCESS_TYPE, accessToken)
      const sessionId = parseSessionId(String(claims?.sid))
      const isOurs = claims?.iss === serverId && claims.aud === serverId
      if (!isOurs || sessionId === undefined || typeof claims.exp !== 'number') return undefined
      return { sessionId, expiresAtMs: claims.exp * 1000 }
    },
  }
}
