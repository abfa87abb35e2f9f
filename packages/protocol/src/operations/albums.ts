import { AlbumResponse, AlbumsResponse, CreateAlbumRequest, NameAlbumRequest } from '../schemas/albums.ts'
import type { Operations } from './operation.ts'
import { pageQuery, pagesOf } from './pages.ts'

export const albumOperations = {
  createAlbum: {
    method: 'POST',
    path: '/v1/albums',
    tag: 'albums',
    auth: 'bearer',
    summary: 'Create an album',
    description:
      'The client generates album_id. A repeat with the id of the caller’s own album gets 200 and the album as it is, even if sealed_name differs: a client that lost the answer may have sealed the name again.',
    body: { type: 'application/json', schema: CreateAlbumRequest },
    creates: true,
    writes: true,
    leaves: 'rows',
    answers: {
      200: { description: 'The album existed already.', body: AlbumResponse },
      201: { description: 'The album is created.', body: AlbumResponse },
    },
    problems: ['error.album.not_available', 'error.request.limit_reached'],
  },
  listAlbums: {
    method: 'GET',
    path: '/v1/albums',
    tag: 'albums',
    auth: 'bearer',
    summary: 'List the caller’s albums',
    description: `All albums, oldest first: up to 5.6 MB. ${pagesOf('albums')}`,
    query: pageQuery({
      of: 'albums',
      id: AlbumResponse.properties.album_id,
      gone: 'error.album.not_available',
      places: 'Every album that the caller has made has a place, also a deleted one.',
    }),
    answers: { 200: { description: 'The albums.', body: AlbumsResponse } },
    problems: ['error.album.not_available'],
  },
  nameAlbum: {
    method: 'PATCH',
    path: '/v1/albums/{album_id}',
    tag: 'albums',
    auth: 'bearer',
    summary: 'Name one of the caller’s albums',
    description:
      'An absent member stays as it is, null removes it. The album’s files, and shares of them, stay as they are. Unknown and other accounts’ albums get the same 403.',
    body: { type: 'application/json', schema: NameAlbumRequest, nullRemoves: true },
    writes: true,
    leaves: 'rows',
    answers: { 204: { description: 'The album has this name now.' } },
    problems: ['error.album.not_available'],
  },
  deleteAlbum: {
    method: 'DELETE',
    path: '/v1/albums/{album_id}',
    tag: 'albums',
    auth: 'bearer',
    summary: 'Delete one of the caller’s empty albums',
    description:
      'An album is empty if it has no file and no upload on its way. Its capability tokens are revoked. The id may stay taken. Unknown, deleted and other accounts’ albums get the same 403.',
    answers: { 204: { description: 'The album is deleted.' } },
    problems: ['error.album.not_available', 'error.album.not_empty'],
  },
} as const satisfies Operations
