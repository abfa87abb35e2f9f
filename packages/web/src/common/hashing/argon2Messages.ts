/** The messages between the pages and their Argon2id worker. */
import type { Bytes } from '@blindkeep/protocol/bytes'

export interface Argon2Question {
  readonly kind: 'password' | 'passphrase'
  /** SECRET: the password or passphrase, as it was typed. */
  readonly text: string
  readonly salt: Uint8Array
}

export type Argon2Answer =
  | { readonly share: number; readonly derived?: undefined; readonly fault?: undefined }
  | { readonly derived: Bytes; readonly share?: undefined; readonly fault?: undefined }
  | { readonly fault: string; readonly share?: undefined; readonly derived?: undefined }
