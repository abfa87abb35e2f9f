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
      'The client makes album_id. One of the caller’s own again: 200 with the album as it was made, whatever sealed_name says now, so that a client whose answer was lost may seal the name anew.',
    body: { type: 'application/json', schema: CreateAlbumRequest },
    creates: true,
    writes: true,
    answers: {
      200: { description: 'It had been made before.', body: AlbumResponse },
      201: { description: 'The album is made.', body: AlbumResponse },
    },
    problems: ['error.album.not_available', 'error.request.limit_reached'],
  },
  listAlbums: {
    method: 'GET',
    path: '/v1/albums',
    tag: 'albums',
    auth: 'bearer',
    summary: 'The caller’s albums',
    description: 'All of them, oldest first.',
    answers: { 200: { description: 'The albums.', body: AlbumsResponse } },
    problems: [],
  },
} as const satisfies Operations
