import { type Bytes, utf8 } from '@blindkeep/protocol/bytes'
import { ARGON2, SALT_BYTES } from '@blindkeep/protocol/suites'
import { argon2idAsync } from '@noble/hashes/argon2.js'

/** How often a browser's thread is released, so that a page stays responsive during the derivation. */
const ASYNC_TICK_MS = 12

export interface SlowDerivation {
  /** From 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined
}

/** Argon2id with the suite's parameters over NFKC as UTF-8, so that equal looks give equal keys. 32 bytes. */
function stretch(text: string, salt: Uint8Array, { onProgress }: SlowDerivation): Promise<Bytes> {
  if (salt.length !== SALT_BYTES) throw new RangeError(`a salt has ${SALT_BYTES} bytes`)
  return argon2idAsync(utf8(text.normalize('NFKC')), salt, {
    m: ARGON2.memoryKiB,
    t: ARGON2.passes,
    p: ARGON2.parallelism,
    dkLen: ARGON2.bytes,
    asyncTick: ASYNC_TICK_MS,
    ...(onProgress === undefined ? {} : { onProgress }),
  })
}

/** The account's master secret; it never leaves the client. 32 bytes. Takes 64 MiB and about a second. */
export async function masterOfPassword(
  password: string,
  salt: Uint8Array,
  options: SlowDerivation = {},
): Promise<Bytes> {
  return stretch(password, salt, options)
}

/**
 * Verifier and proof of a link's passphrase: the same 32 bytes (specification, Authentication, 6). `salt` is that of
 * `passphraseSalt`. Takes 64 MiB and about a second.
 */
export async function passphraseProof(
  passphrase: string,
  salt: Uint8Array,
  options: SlowDerivation = {},
): Promise<Bytes> {
  return stretch(passphrase, salt, options)
}
