/** The albums of an account. Their names are sealed: the server knows their number and nothing else. */
import { type Bytes, toBase64, utf8, uuidBytes } from '@blindkeep/protocol/bytes'
import { type AlbumId, parseAlbumId } from '@blindkeep/protocol/ids'
import type { AlbumResponse } from '@blindkeep/protocol/schemas/albums'
import type { Environment } from '../ground/environment.ts'
import type { Call } from '../http/call.ts'
import { type ListRequest, type WholeListOptions, wholeList } from '../http/listPages.ts'
import { newId } from '../seal/newId.ts'
import { openSmallText } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'
import { requireFittingName } from '../seal/sealedName.ts'

export interface Album {
  readonly albumId: AlbumId
  /** Undefined for an album without a name, and for a name that does not open. */
  readonly name: string | undefined
  /** Set when the name from the server does not open under this account's key. */
  readonly nameFault: string | undefined
  /** RFC 3339. */
  readonly createdAt: string
}

export interface OwnerAlbums {
  /** Throws `RangeError` for a name of more than 600 bytes, and what a call throws. */
  createAlbum(options?: { readonly name?: string | undefined }): Promise<Album>
  /**
   * A name of nothing but spaces removes it. Files and shares stay as they are. Throws `RangeError` for a name of more
   * than 600 bytes, and what a call throws: `error.album.not_available`.
   */
  nameAlbum(albumId: string, name: string): Promise<void>
  /**
   * Deletes an album that has no file and no upload on its way. Throws what a call throws: `error.album.not_empty`,
   * `error.album.not_available` also for one that is deleted already.
   */
  deleteAlbum(albumId: string): Promise<void>
  /** All albums, oldest first by default. */
  albums(options?: WholeListOptions<Album>): Promise<readonly Album[]>
}

interface OwnerAlbumsPorts {
  readonly call: Call
  readonly accountKey: Bytes
  readonly environment: Environment
}

export function createOwnerAlbums({ call, accountKey, environment }: OwnerAlbumsPorts): OwnerAlbums {
  // Sealed under the account key, like the label of a link. Under an album key, each epoch would need the name
  // sealed again.
  const nameSeal = (albumId: string) =>
    ({ key: accountKey, purpose: 'album-name', contextId: uuidBytes(albumId) }) as const

  async function sealedNameOf(albumId: string, name: string): Promise<string> {
    requireFittingName(name)
    return toBase64(await sealSmall(utf8(name), nameSeal(albumId)))
  }

  return {
    async createAlbum({ name } = {}) {
      const albumId = newId(environment, parseAlbumId)
      const sealed = name === undefined ? undefined : await sealedNameOf(albumId, name)
      const { body } = await call('createAlbum', {
        body: { album_id: albumId, ...(sealed === undefined ? {} : { sealed_name: sealed }) },
      })
      return { albumId, name, nameFault: undefined, createdAt: body.created_at }
    },

    async nameAlbum(albumId, name) {
      const given = name.trim()
      const sealed = given === '' ? null : await sealedNameOf(albumId, given)
      await call('nameAlbum', { path: { album_id: albumId }, body: { sealed_name: sealed } })
    },

    async deleteAlbum(albumId) {
      await call('deleteAlbum', { path: { album_id: albumId } })
    },

    albums(options) {
      const list = {
        operation: 'listAlbums',
        ask: async (request: ListRequest) => (await call('listAlbums', request)).body.albums,
        idOf: ({ album_id }: AlbumResponse) => album_id,
        gone: 'error.album.not_available',
      } as const
      return wholeList(
        list,
        async ({ album_id: albumId, sealed_name: sealed, created_at: createdAt }) => {
          const { text: name, fault } = await openSmallText(sealed, nameSeal(albumId))
          return { albumId, name, nameFault: fault, createdAt }
        },
        options,
      )
    },
  }
}
