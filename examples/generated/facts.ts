/** What a story sends: sealed bytes are any bytes for the server. */
export interface Facts {
  readonly baseUrl: string
  readonly email: string
  readonly opaqueId: string
  readonly sealed: Uint8Array<ArrayBuffer>
  /** SHA-256 of `sealed`, lowercase hex. */
  readonly hash: string
  /** Base64 of 1120 bytes. */
  readonly kemCt: string
}

export const PASSWORD = 'a secret of twelve or more'
/** Smaller than `sealed`. */
export const MAX_FILE_BYTES = 10
