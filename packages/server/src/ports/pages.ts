/** The pages that people see, as they were built: in memory, so that a request names one of them and never a place on the disk. */
export interface PageFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
  /** The same, compressed, where that was built. */
  readonly coded: Readonly<Partial<Record<ContentCoding, Uint8Array>>>
  /** SHA-256 of the bytes in base64url: the same bytes have the same one on every server. */
  readonly version: string
}

/** As HTTP names them (RFC 9110, section 8.4.1; RFC 7932). */
export type ContentCoding = 'br' | 'gzip'

/** By path below the directory of the pages: `u/index.html`. Empty when they are not built. */
export type Pages = ReadonlyMap<string, PageFile>
