import { AuditError } from '@blindkeep/client/errors'
import { auditServer, type PinnedKey } from '@blindkeep/client/receipts'
import { pageCalls } from '../ground/pageCalls.ts'
import { knownPins, rememberPins } from './knownPins.ts'

export interface ServerKeys {
  /** The published keys, oldest first. With an alarm, the keys that this browser remembers. */
  readonly keys: readonly SeenKey[]
  readonly canRemember: boolean
  /** This browser has not seen the server before. */
  readonly isFirstSight: boolean
  readonly alarm: AuditError | undefined
}

export interface SeenKey extends PinnedKey {
  readonly isKnown: boolean
}

/** Fetches the keys, compares them with remembered ones, and remembers them. A tampered list becomes an alarm. */
export async function readServerKeys(baseUrl: string): Promise<ServerKeys> {
  const { pinned, canRemember } = await knownPins(baseUrl)
  const before = pinned?.keys ?? []
  const about = { canRemember, isFirstSight: pinned === undefined }
  try {
    const { keys } = await auditServer(pageCalls(baseUrl), pinned)
    await rememberPins(keys)
    const isKnown = (keyId: string) => before.some((key) => key.keyId === keyId)
    return { ...about, keys: keys.keys.map((key) => ({ ...key, isKnown: isKnown(key.keyId) })), alarm: undefined }
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    return { ...about, keys: before.map((key) => ({ ...key, isKnown: true })), alarm: error }
  }
}
