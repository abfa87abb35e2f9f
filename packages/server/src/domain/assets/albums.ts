/** The albums of an account, which contain its assets. The server knows an id and a sealed name. */
import type { AccountId, AlbumId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { type Album, accountLock, type ReadTx, type Store } from '../../ports/store.ts'
import { noteAlbumChange } from '../changes/changes.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import { judgeBound } from '../ground/bounds.ts'
import { listOf } from '../ground/lists.ts'
import type { NewName } from '../ground/newName.ts'
import type { Refuses } from '../ground/refusals.ts'

export type AlbumRequest = Omit<Album, 'accountId' | 'createdAt'>

export interface CreatedAlbum {
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
     * Makes an album. If the caller already has an album with this id, the answer is that album as it is, also if the
     * request has another sealed name: sealing a name twice gives different bytes, so a client that repeats a lost
     * request cannot send the first ones again.
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
        const overBound = judgeBound('albums', await tx.albums.count(accountId))
        if (overBound !== undefined) return overBound
        // Also the id of a deleted album is taken.
        if (!(await tx.albums.insert(album))) return { refused: 'album_not_available' }
        return { album, isRepeat: false }
      })
    },

    async name(
      accountId: AccountId,
      albumId: AlbumId,
      sealedName: NewName,
    ): Promise<Refuses<'session_over' | 'album_not_available'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        const inactive = await requireActiveAccount(tx, accountId)
        if (inactive !== undefined) return inactive
        if (!(await ownsAlbum(tx, accountId, albumId))) return { refused: 'album_not_available' }
        if (sealedName === 'same') return undefined
        await tx.albums.setName(albumId, accountId, sealedName)
        await noteAlbumChange(tx, { accountId, albumId }, clock.now())
        return undefined
      })
    },

    /** Deletes an empty album. An upload on its way has reserved its asset, so the album is not empty. */
    async remove(
      accountId: AccountId,
      albumId: AlbumId,
    ): Promise<Refuses<'album_not_available' | 'album_not_empty'> | undefined> {
      return store.write([accountLock(accountId)], async (tx) => {
        if (!(await ownsAlbum(tx, accountId, albumId))) return { refused: 'album_not_available' }
        if (!(await tx.albums.isEmpty(albumId))) return { refused: 'album_not_empty' }
        const at = clock.now()
        await tx.capabilities.revokeOf(albumId, at)
        await tx.albums.end(albumId, at)
        await tx.albums.forgetName(albumId)
        await noteAlbumChange(tx, { accountId, albumId }, at)
        return undefined
      })
    },

    list: listOf(store, { rows: (tx) => tx.albums, gone: { refused: 'album_not_available' } }),
  }
}

/** False for a deleted album, too. */
export async function ownsAlbum(tx: ReadTx, accountId: AccountId, albumId: AlbumId): Promise<boolean> {
  return (await tx.albums.find(albumId))?.accountId === accountId
}
