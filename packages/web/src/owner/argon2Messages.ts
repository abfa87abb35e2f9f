/** What the pages and their Argon2id worker say to each other. */
import type { Bytes } from '@blindkeep/protocol/bytes'

export interface Argon2Question {
  readonly kind: 'password' | 'passphrase'
  /** SECRET: the password or passphrase, as it was typed. */
  readonly text: string
  /** Of a passphrase, the link's opaque id. */
  readonly salt: Uint8Array
}

export type Argon2Word =
  | { readonly share: number; readonly derived?: undefined; readonly fault?: undefined }
  | { readonly derived: Bytes; readonly share?: undefined; readonly fault?: undefined }
  | { readonly fault: string; readonly share?: undefined; readonly derived?: undefined }
