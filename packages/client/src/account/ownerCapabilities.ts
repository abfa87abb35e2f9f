/**
 * Federation capability tokens: with one, a peer may read an album for at most a day. A server judges the token by its
 * claims, not by the identity of the bearer.
 */
import type { AlbumId, Jti } from '@blindkeep/protocol/ids'
import type { CapabilityResponse } from '@blindkeep/protocol/schemas/capabilities'
import type { Static } from '@blindkeep/protocol/static'
import type { Call } from '../http/call.ts'
import { type ListRequest, wholeList } from '../http/listPages.ts'

export interface OwnCapability {
  readonly jti: Jti
  /** The origin of the peer that may use the token. */
  readonly peer: string
  /** RFC 3339. */
  readonly expiresAt: string
}

export interface MintedCapability extends OwnCapability {
  /** SECRET: the peer's credential. The server returns it this once and does not store it. */
  readonly token: string
}

export interface MintCapability {
  readonly albumId: AlbumId
  /** A canonical origin: https, or http on loopback. */
  readonly peer: string
  /** RFC 3339, at most 24 hours ahead. */
  readonly expiresAt: string
}

export interface OwnerCapabilities {
  /** Each call creates another token. */
  mintCapability(grant: MintCapability): Promise<MintedCapability>
  /** Tokens that are neither expired nor revoked, oldest first. */
  capabilities(albumId: AlbumId): Promise<readonly OwnCapability[]>
  /** Puts the token on the public revocation list. A peer may accept it until its copy of the list expires. */
  revokeCapability(albumId: AlbumId, jti: Jti): Promise<void>
}

export function createOwnerCapabilities({ call }: { readonly call: Call }): OwnerCapabilities {
  return {
    async mintCapability({ albumId, peer, expiresAt }) {
      const { body } = await call('mintCapability', {
        path: { album_id: albumId },
        body: { peer, expires_at: expiresAt },
      })
      return { token: body.token, jti: body.jti, peer, expiresAt: body.expires_at }
    },

    async capabilities(albumId) {
      const list = {
        operation: 'listCapabilities',
        ask: async (request: ListRequest) =>
          (await call('listCapabilities', { path: { album_id: albumId }, ...request })).body.capabilities,
        idOf: ({ jti }: Static<typeof CapabilityResponse>) => jti,
        gone: 'error.request.not_found',
      } as const
      return wholeList(list, ({ jti, peer, expires_at: expiresAt }) => ({ jti, peer, expiresAt }))
    },

    async revokeCapability(albumId, jti) {
      await call('revokeCapability', { path: { album_id: albumId, jti } })
    },
  }
}
