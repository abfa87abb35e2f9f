/** Fixed inputs of all vectors: recognisable, without meaning, and different from each other. */
import { type Bytes, fromHex, toHex } from '@blindkeep/protocol/bytes'

export const hex = toHex

/** `count` bytes that start at `first` and rise by one. */
export function rising(first: number, count: number): Bytes {
  return Uint8Array.from({ length: count }, (_, index) => (first + index) % 256)
}

/** Plaintext of any size by a rule that is easy in any language: byte i is i mod 251. */
export function patternBytes(size: number): Bytes {
  return Uint8Array.from({ length: size }, (_, index) => index % 251)
}

export const ACCOUNT_KEY: Bytes = rising(0x00, 32)
/** As typed; `EMAIL` is its normalised form. */
export const EMAIL_TYPED = ' Ａda@Example.ORG'
export const EMAIL = 'ada@example.org'
export const SERVER_ID = 'https://keep.example'
/** Another server, at which no proof for the first one counts. */
export const OTHER_SERVER_ID = 'https://keep.example:8443'
export const RECOVERY_SECRET: Bytes = rising(0x20, 32)
export const BLOB_KEY: Bytes = rising(0x40, 32)
export const SHARE_KEY: Bytes = rising(0x60, 32)
/** What Argon2id makes of a passphrase. */
export const STRETCHED: Bytes = rising(0x80, 32)
export const SALT: Bytes = rising(0xa0, 16)
export const OPAQUE_ID: Bytes = fromHex('6f0d3c2b1a49586776859403122130ff')
export const ALBUM_ID: Bytes = fromHex('0192e8a47c4e7d1a9b1e3f2a5c6d7e01')
export const FILE_ID: Bytes = fromHex('0192e8a47c4e7d1a9b1e3f2a5c6d7e02')
export const DEVICE_ID: Bytes = fromHex('0192e8a47c4e7d1a9b1e3f2a5c6d7e03')
/** What an authenticator gave for the PRF of a passkey. */
export const PASSKEY_OUTPUT: Bytes = rising(0xc0, 32)
export const PASSKEY_ID: Bytes = fromHex('0192e8a47c4e7d1a9b1e3f2a5c6d7e04')

/** A parsed input, which is fixed and therefore valid. */
export function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a fixed input of the vectors does not parse')
  return value
}
