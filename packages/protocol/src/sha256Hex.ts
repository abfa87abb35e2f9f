import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from './bytes.ts'
import { parseSha256Hex, type Sha256Hex } from './ids.ts'

export function sha256Hex(bytes: Uint8Array): Sha256Hex {
  const hash = parseSha256Hex(toHex(sha256(bytes)))
  if (hash === undefined) throw new Error('SHA-256 gave something other than 64 hex characters')
  return hash
}
