/** What a local page has seen of its account, in the profile of the command line. */
import { fromBase64, toBase64 } from '@blindkeep/protocol/bytes'
import { changeLocalMemory, type LocalMemory, loadLocalMemory } from '../../common/storage/localMemory.ts'
import { readSeenRecord, type SeenRecord } from './seenRecord.ts'

export async function loadLocalSeen(): Promise<SeenRecord> {
  return recordIn(await loadLocalMemory())
}

/** Rejects when it is not kept. */
export async function changeLocalSeen(change: (seen: SeenRecord) => SeenRecord): Promise<void> {
  await changeLocalMemory((memory) => {
    const { revokedDevices, visits, ...seen } = change(recordIn(memory))
    return {
      seen: { ...seen, ...(visits !== undefined && { visits: toBase64(visits) }) },
      revoked: [...revokedDevices],
    }
  })
}

/** The commands of the profile add to the revoked devices as well. */
function recordIn({ seen, revoked }: LocalMemory): SeenRecord {
  const visits = typeof seen.visits === 'string' ? fromBase64(seen.visits) : undefined
  const revokedDevices = new Map(Array.isArray(revoked) ? revoked : [])
  return readSeenRecord({ ...seen, visits, revokedDevices })
}
