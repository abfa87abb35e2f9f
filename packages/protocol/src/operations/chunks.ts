/** What every chunk says of itself. */
export const chunkHeaders = ['X-Service-Offset', 'X-Service-Checksum'] as const

/** What every chunk may meet, whatever it is sent through. */
export const chunkProblems = [
  'error.upload.session_not_found',
  'error.upload.missing_offset',
  'error.upload.missing_checksum',
  'error.upload.empty_chunk',
  'error.upload.checksum_mismatch',
  'error.upload.offset_mismatch',
  'error.upload.chunk_conflict',
  'error.upload.size_exceeded',
  'error.upload.too_many_chunks',
  'error.upload.session_closed',
  'error.upload.content_hash_mismatch',
  'error.storage.unavailable',
] as const

export const sessionState = {
  200: {
    description: 'Where the session stands. A landed one answers so for 30 days.',
    headers: ['X-Service-Offset', 'X-Service-Length', 'X-Service-State'],
  },
} as const
