import { AlbumResponse, AlbumsResponse, CreateAlbumRequest } from '../schemas/albums.ts'
import type { Operations } from './operation.ts'

export const albumOperations = {
  createAlbum: {
    method: 'POST',
    path: '/v1/albums',
    tag: 'albums',
    auth: 'bearer',
    summary: 'Create an album',
    description:
      'The client generates album_id. A repeat with the id of the caller’s own album gets 200 and the album as created, even if sealed_name differs: a client that lost the answer may have sealed the name again.',
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
} as const satisfies Operations
