import { AlbumResponse, AlbumsResponse, CreateAlbumRequest, NameAlbumRequest } from '../schemas/albums.ts'
import type { Operations } from './operation.ts'

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
    description: 'All albums, oldest first.',
    answers: { 200: { description: 'The albums.', body: AlbumsResponse } },
    problems: [],
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
    answers: { 204: { description: 'The album has this name now.' } },
    problems: ['error.album.not_available'],
  },
} as const satisfies Operations
