import type { ProtocolVersion } from './ids.ts'

/** The protocol versions that writes may use now, both ends included (specification, Versioning, 2). */
export interface ProtocolWindow {
  readonly min: ProtocolVersion
  readonly max: ProtocolVersion
}

/** Versions are dates that compare as text. */
export function inWindow(window: ProtocolWindow, version: ProtocolVersion): boolean {
  return window.min <= version && version <= window.max
}

/** Whether answers at this path carry the protocol window. */
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

/** What guests may declare. A link fixes a protocol version; so far all versions have the same list. */
export function contentTypesOf(_version: ProtocolVersion): readonly string[] {
  return CONTENT_TYPES_2026
}
