import type { AlbumId } from '../ids.ts'
import type { Static } from '../static.ts'
import { base64, list, object, optional, time, uuid } from './shape.ts'

const albumId = uuid<AlbumId>('The album. The client generates the id.')
const sealedName = base64('The album’s name, sealed by the client.', { min: 1, max: 4096 })

export const CreateAlbumRequest = object('CreateAlbumRequest', { album_id: albumId, sealed_name: optional(sealedName) })
export type CreateAlbumRequest = Static<typeof CreateAlbumRequest>

/** Absent: unchanged. Null: removed. */
export const NameAlbumRequest = object('NameAlbumRequest', { sealed_name: optional(sealedName) })
export type NameAlbumRequest = Static<typeof NameAlbumRequest>

export const AlbumResponse = object('AlbumResponse', {
  album_id: albumId,
  sealed_name: optional(sealedName),
  created_at: time('When it was created.'),
})
export type AlbumResponse = Static<typeof AlbumResponse>

export const AlbumsResponse = object('AlbumsResponse', {
  albums: list(AlbumResponse, 'All of the caller’s albums, oldest first.'),
})
export type AlbumsResponse = Static<typeof AlbumsResponse>
