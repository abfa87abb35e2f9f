/** The headers of every chunk. */
export const chunkHeaders = ['X-Service-Offset', 'X-Service-Checksum'] as const

/** The problems of every chunk, a guest's or an owner's. */
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
] as const

export const sessionState = {
  200: {
    description: 'The state of the session. A landed session answers for 30 days.',
    headers: ['X-Service-Offset', 'X-Service-Length', 'X-Service-State'],
  },
} as const
