/** Federation capability tokens: by one of them a peer may read an album, for a day at most. Whoever holds the token is judged by its claims, not by who they are. */
import type { AlbumId, Jti } from '@blindkeep/protocol/ids'
import type { Call } from '../http/call.ts'

export interface OwnCapability {
  readonly jti: Jti
  /** The origin that it is made out to. */
  readonly peer: string
  /** RFC 3339. */
  readonly expiresAt: string
}

export interface MintedCapability extends OwnCapability {
  /** Secret: it is the peer's credential. The server gives it this once and does not keep it. */
  readonly token: string
}

export interface MintCapability {
  readonly albumId: AlbumId
  /** An origin in its canonical form: https, or http on loopback. */
  readonly peer: string
  /** RFC 3339, at most 24 hours ahead. */
  readonly expiresAt: string
}

export interface OwnerCapabilities {
  /** Each call makes another token. */
  mintCapability(grant: MintCapability): Promise<MintedCapability>
  /** Those that have neither ended nor been revoked, oldest first. */
  capabilities(albumId: AlbumId): Promise<readonly OwnCapability[]>
  /** From then on it is on the server's public list; peers that hold an older copy of that may go on for as long as the copy says. */
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
      const { body } = await call('listCapabilities', { path: { album_id: albumId } })
      return body.capabilities.map(({ jti, peer, expires_at: expiresAt }) => ({ jti, peer, expiresAt }))
    },

    async revokeCapability(albumId, jti) {
      await call('revokeCapability', { path: { album_id: albumId, jti } })
    },
  }
}
