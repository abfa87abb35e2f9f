/**
 * Which shares show some contents. The server knows which contents each share has, and says so to the owner: what it
 * leaves out or adds here, it could also serve or withhold. Each share is read once, and again when its record differs.
 */
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import type { ShareEntryResponse } from '@blindkeep/protocol/schemas/shares'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/errors.ts'

/** Each answer may have 1.3 MB. */
const SHARES_AT_ONCE = 6

interface Known {
  /** `sealed_record` of the share when it was read: it is sealed again with the contents. */
  readonly record: string
  readonly hashes: readonly string[]
}

export interface ShareContents {
  /** How many of `wanted`, hashes of ciphertexts in lowercase hex, each of the shares has. */
  countsIn(
    shares: readonly ShareEntryResponse[],
    wanted: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<readonly number[]>
}

/** Of one account. Remembers the contents of the shares of the last call, at most 64 MiB at the server. */
export function createShareContents(call: Call): ShareContents {
  let known: ReadonlyMap<OpaqueId, Known> = new Map()

  async function readKnown(share: ShareEntryResponse, signal: AbortSignal | undefined): Promise<Known> {
    const record = share.sealed_record ?? ''
    const before = known.get(share.opaque_id)
    return before?.record === record ? before : { record, hashes: await readHashes(call, share.opaque_id, signal) }
  }

  return {
    async countsIn(shares, wanted, signal) {
      const read = new Map<OpaqueId, Known>()
      try {
        return await mapConcurrently(shares, SHARES_AT_ONCE, async (share) => {
          const { record, hashes } = await readKnown(share, signal)
          read.set(share.opaque_id, { record, hashes })
          return hashes.filter((hash) => wanted.has(hash)).length
        })
      } finally {
        // What a call that was stopped has read stays known, too.
        known = read.size === shares.length ? read : new Map([...known, ...read])
      }
    },
  }
}

/** None of a share that has been deleted since it was listed. */
async function readHashes(call: Call, opaqueId: OpaqueId, signal: AbortSignal | undefined): Promise<readonly string[]> {
  try {
    return [...new Set((await call('ownShare', { path: { opaque_id: opaqueId }, signal })).body.blob_hashes)]
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.share.not_found') return []
    throw error
  }
}
