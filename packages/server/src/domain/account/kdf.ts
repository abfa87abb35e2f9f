import { createHmac } from 'node:crypto'

/** How a client derives its keys from the password. */
export const KDF_VERSION = 1
const SALT_BYTES = 16

/** Undefined is the version of this release. */
export function kdfVersionFault(version: number | undefined): string | undefined {
  return version === undefined || version === KDF_VERSION ? undefined : `/kdf_version must be ${KDF_VERSION}`
}

/** The salt of an unknown e-mail, always the same, so that a stranger cannot tell that it is unknown. */
export function decoySalt(serverSecret: Uint8Array, canonicalEmail: string): Uint8Array {
  return createHmac('sha256', serverSecret).update('salt\0').update(canonicalEmail).digest().subarray(0, SALT_BYTES)
}
