/** Attestation keys of servers that this user has met, and the newest receipt of each. Not secret. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { joinPins, type PinnedKeys, parsePins } from '@blindkeep/client/receipts'
import { whileAlone } from './claims.ts'
import { Damaged } from './damaged.ts'
import { readPrivate, writePrivate } from './files.ts'

/** Longer than a write takes on a busy disk. */
const WAIT_MS = 30_000

/** `serverId`: the origin of the server. Undefined before the first call of `pin`. */
export async function pinsOf(home: string, serverId: string): Promise<PinnedKeys | undefined> {
  const path = keysPath(home, serverId)
  const text = await readPrivate(path)
  if (text === undefined) return undefined
  try {
    return parsePins(JSON.parse(text))
  } catch (cause) {
    const says = 'which keys the server has shown before'
    throw new Damaged(path, { says, without: 'to trust the keys that the server shows now' }, cause)
  }
}

/** Adds what was seen. Throws `AuditError` if another process has seen what contradicts it. */
export async function pin(home: string, seen: PinnedKeys): Promise<void> {
  const path = keysPath(home, seen.serverId)
  await whileAlone({ home, path, doing: 'notes keys of this server', waitMs: WAIT_MS }, async () => {
    const before = await pinsOf(home, seen.serverId)
    const text = JSON.stringify(joinPins(before, seen))
    if (before === undefined || text !== JSON.stringify(before)) await writePrivate(path, text)
  })
}

/** The file with the keys of a server. */
export const keysPath = (home: string, serverId: string) => serverPath(home, serverId, 'json')

/** What is remembered of a server. */
export function serverPath(home: string, serverId: string, ending: string): string {
  return join(home, 'servers', `${createHash('sha256').update(serverId).digest('hex').slice(0, 32)}.${ending}`)
}
