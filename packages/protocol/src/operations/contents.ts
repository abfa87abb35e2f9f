/** Sealed bytes, whole or a range of them. */
export const content = {
  200: { description: 'The sealed bytes.', body: 'bytes', headers: ['ETag', 'Accept-Ranges'] },
  206: { description: 'The requested range.', body: 'bytes', headers: ['ETag', 'Content-Range'] },
  304: { description: 'The client’s copy is current.', headers: ['ETag'] },
} as const

/** A content addressed by its hash never changes. */
export const immutableContent = {
  200: { ...content[200], headers: ['ETag', 'Accept-Ranges', 'Cache-Control'] },
  206: { ...content[206], headers: ['ETag', 'Content-Range', 'Cache-Control'] },
  304: { ...content[304], headers: ['ETag', 'Cache-Control'] },
} as const
