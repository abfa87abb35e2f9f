import type { ProtocolVersion } from './ids.ts'

/** The protocol versions that writes may use now, both ends included (specification, Versioning, 2). */
export interface ProtocolWindow {
  readonly min: ProtocolVersion
  readonly max: ProtocolVersion
}

/** Dates of this form order as text. */
export function inWindow(window: ProtocolWindow, version: ProtocolVersion): boolean {
  return window.min <= version && version <= window.max
}

/** Paths on which versions are negotiated: those whose answers carry the window. */
export function isNegotiatedPath(path: string): boolean {
  return path.startsWith('/v1/') || path.startsWith('/d/')
}

const CONTENT_TYPES_2026 = [
  'application/octet-stream',
  'application/pdf',
  'application/zip',
  'text/plain',
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/heic',
  'image/heif',
  'image/tiff',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'audio/flac',
] as const

/** What a guest may declare. A link pins a protocol version and with it this list; so far every version has the same one. */
export function contentTypesOf(_version: ProtocolVersion): readonly string[] {
  return CONTENT_TYPES_2026
}
