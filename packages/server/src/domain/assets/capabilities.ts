/** Federation tokens: an owner lets a peer read an album for at most a day (specification, Authentication, 7). */
import { CAPABILITY_TYPE, capabilityClaims, MAX_CAPABILITY_SECONDS } from '@blindkeep/protocol/capability'
import {
  type AccountId,
  type AlbumId,
  addSeconds,
  type Instant,
  instantOf,
  type Jti,
  parseJti,
  type SessionId,
} from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { TokenSigner } from '../../ports/keyring.ts'
import type { Random } from '../../ports/random.ts'
import { accountLock, type Capability, type Store, type WriteTx } from '../../ports/store.ts'
import { requireUnmoved } from '../discovery/serverId.ts'
import type { SigningKey } from '../discovery/signingKey.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import { judgeBound } from '../ground/bounds.ts'
import { refusePassed } from '../ground/expiry.ts'
import { type ListQuestion, listOf } from '../ground/lists.ts'
import { newId } from '../ground/newId.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { ownsAlbum } from './albums.ts'

/** Of all accounts, live and revoked: what the public list may become. Each account has a few all the same. */
export const MAX_UNENDED = 50_000
export const UNENDED_OF_EACH = 20
/** When the server has that many, some of them end within minutes. */
const RETRY_AFTER_SECONDS = 900
/** Each mint prunes more rows than it adds, so tokens that end within seconds do not pile up between two sweeps. */
const PRUNED_AT_A_MINT = 2

export interface MintRequest {
  readonly albumId: AlbumId
  readonly peer: string
  readonly expiresAt: Instant
  readonly sessionId?: SessionId | undefined
}

export interface MintedCapability {
  readonly token: string
  readonly jti: Jti
  readonly expiresAt: Instant
}

interface CapabilityPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly tokens: Pick<SigningKey, 'seenBy'>
}

export type Capabilities = ReturnType<typeof createCapabilities>

export function createCapabilities(
  { store, clock, random, tokens }: CapabilityPorts,
  { serverId, maxUnended = MAX_UNENDED }: { readonly serverId: string; readonly maxUnended?: number },
) {
  const listed = listOf(store, { rows: (tx) => tx.capabilities, gone: { refused: 'not_found' } })

  /** Stores the row and returns the key to sign with. */
  async function record(
    tx: WriteTx,
    capability: Capability,
  ): Promise<
    Pick<TokenSigner, 'sign'> | Refuses<'session_over' | 'album_not_available' | 'limit_reached' | 'rows_limited'>
  > {
    const { accountId, albumId, issuedAt, sessionId } = capability
    const [refused] = await Promise.all([requireActiveAccount(tx, accountId), requireUnmoved(tx, serverId)])
    if (refused !== undefined) return refused
    if (!(await ownsAlbum(tx, accountId, albumId))) return { refused: 'album_not_available' }
    const { live, all, ofSession } = await tx.capabilities.count(accountId, issuedAt, sessionId)
    const overBound =
      judgeBound('live capabilities', live) ??
      judgeBound('capabilities that have not ended, revoked ones included', all) ??
      judgeBound('capabilities of one session that have not ended', ofSession)
    if (overBound !== undefined) return overBound
    if (all >= UNENDED_OF_EACH && (await tx.capabilities.countAll(issuedAt, maxUnended)) >= maxUnended)
      return { refused: 'rows_limited', retryAfterSeconds: RETRY_AFTER_SECONDS }
    await tx.capabilities.prune(issuedAt, PRUNED_AT_A_MINT)
    await tx.capabilities.insert(capability)
    return tokens.seenBy(tx)
  }

  return {
    /**
     * Stores the row first, then signs with the key of the same transaction. A rotation before it made that key; a
     * rotation after it revokes the row. A process that dies in between leaves a row without a token.
     */
    async mint(
      accountId: AccountId,
      { albumId, peer, expiresAt: wanted, sessionId }: MintRequest,
    ): Promise<
      | MintedCapability
      | Refuses<
          | 'session_over'
          | 'request_malformed'
          | 'request_unprocessable'
          | 'lifetime_too_long'
          | 'album_not_available'
          | 'limit_reached'
          | 'rows_limited'
        >
    > {
      const now = clock.now()
      const expiresAt = instantOf(Math.floor(wanted / 1000) * 1000)
      const fault = faultOf({ peer, expiresAt, wanted, now })
      if (fault !== undefined) return fault
      const capability = { jti: newId(random, parseJti), accountId, sessionId, albumId, peer, issuedAt: now, expiresAt }
      const signer = await store.write(['server', accountLock(accountId)], (tx) => record(tx, capability))
      if (isRefusal(signer)) return signer
      const claims = capabilityClaims({ ...capability, issuer: serverId })
      return { token: await signer.sign({ typ: CAPABILITY_TYPE }, claims), jti: capability.jti, expiresAt }
    },

    /** Live tokens. */
    async list(accountId: AccountId, albumId: AlbumId, question: ListQuestion<Jti> = {}) {
      if (!(await store.read((tx) => ownsAlbum(tx, accountId, albumId))))
        return { refused: 'album_not_available' } as const
      return listed({ albumId, at: clock.now() }, question)
    },

    /** The same answer whether there was such a token. The public list has it when next read (discovery.ts). */
    async revoke(
      accountId: AccountId,
      albumId: AlbumId,
      jti: Jti,
    ): Promise<Refuses<'album_not_available'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        if (!(await ownsAlbum(tx, accountId, albumId))) return { refused: 'album_not_available' }
        await tx.capabilities.revoke(jti, albumId, clock.now())
        return undefined
      })
    },
  }
}

function faultOf({
  peer,
  expiresAt,
  wanted,
  now,
}: {
  readonly peer: string
  /** `wanted` in whole seconds, as it will be signed. */
  readonly expiresAt: Instant
  readonly wanted: Instant
  readonly now: Instant
}): Refuses<'request_malformed' | 'request_unprocessable' | 'lifetime_too_long'> | undefined {
  // An origin identifies a peer, so it must have one spelling.
  if (URL.parse(peer)?.origin !== peer)
    return { refused: 'request_malformed', detail: '/peer must be an origin in its canonical form' }
  const passed = refusePassed(expiresAt, now)
  if (passed !== undefined) return passed
  return wanted > addSeconds(now, MAX_CAPABILITY_SECONDS) ? { refused: 'lifetime_too_long' } : undefined
}
