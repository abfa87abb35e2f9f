/** A file of the built pages, in memory: a request can name one of these, but no path on the disk. */
export interface PageFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
  /** The compressed forms that the build made. */
  readonly coded: Readonly<Partial<Record<ContentCoding, Uint8Array>>>
  /** SHA-256 of the bytes in base64url: equal bytes have the same version on every server. */
  readonly version: string
}

/** As HTTP names them (RFC 9110, section 8.4.1; RFC 7932). */
export type ContentCoding = 'br' | 'gzip'

/** Keys are paths below the directory of the pages, such as `u/index.html`. Empty if the pages are not built. */
export type Pages = ReadonlyMap<string, PageFile>
