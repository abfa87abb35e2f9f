import type { Bytes } from '@blindkeep/protocol/bytes'
import { parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { Environment } from '../ground/environment.ts'

/** A blob that is small enough to be in memory as a whole. */
export interface SmallBlob {
  readonly bytes: Bytes
  /** SHA-256, lowercase hex. */
  readonly hash: Sha256Hex
}

export function smallBlob({ createHash }: Environment, bytes: Bytes): SmallBlob {
  const running = createHash()
  running.update(bytes)
  const hash = parseSha256Hex(running.digest())
  if (hash === undefined) throw new Error('the running hash did not return a SHA-256')
  return { bytes, hash }
}
