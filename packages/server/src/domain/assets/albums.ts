/** The albums of an account, which contain its assets. The server knows an id and a sealed name. */
import type { AccountId, AlbumId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { type Album, accountLock, type Store } from '../../ports/store.ts'
import { requireActiveAccount } from '../account/activeAccount.ts'
import type { Refuses } from '../refusals.ts'

export const MAX_ALBUMS = 1000

export type AlbumRequest = Omit<Album, 'accountId' | 'createdAt'>

interface CreatedAlbum {
  readonly album: Album
  readonly isRepeat: boolean
}

interface AlbumPorts {
  readonly store: Store
  readonly clock: Clock
}

export type Albums = ReturnType<typeof createAlbums>

export function createAlbums({ store, clock }: AlbumPorts) {
  return {
    /**
     * Makes an album. If the caller already has an album with this id, the answer is that album as it is, also if the request has another sealed name: sealing a name
     * twice gives different bytes, so a client that repeats a lost request cannot send the first ones again.
     */
    async create(
      accountId: AccountId,
      request: AlbumRequest,
    ): Promise<CreatedAlbum | Refuses<'session_over' | 'album_not_available' | 'limit_reached'>> {
      const album: Album = { ...request, accountId, createdAt: clock.now() }
      return store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        const present = await tx.albums.find(album.albumId)
        if (present !== undefined)
          return present.accountId === accountId
            ? { album: present, isRepeat: true }
            : { refused: 'album_not_available' }
        if ((await tx.albums.count(accountId)) >= MAX_ALBUMS)
          return { refused: 'limit_reached', detail: `an account has at most ${MAX_ALBUMS} albums` }
        return (await tx.albums.insert(album)) ? { album, isRepeat: false } : { refused: 'album_not_available' }
      })
    },

    /** Undefined removes the name. */
    async name(
      accountId: AccountId,
      albumId: AlbumId,
      sealedName: Uint8Array | undefined,
    ): Promise<Refuses<'session_over' | 'album_not_available'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        return (await tx.albums.setName(albumId, accountId, sealedName))
          ? undefined
          : { refused: 'album_not_available' }
      })
    },

    async list(accountId: AccountId): Promise<readonly Album[]> {
      return store.read((tx) => tx.albums.listOf(accountId))
    },
  }
}
