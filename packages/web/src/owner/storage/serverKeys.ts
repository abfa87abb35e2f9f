import { createCalls } from '@blindkeep/client/call'
import { AuditError } from '@blindkeep/client/errors'
import { auditServer, type PinnedKey } from '@blindkeep/client/receipts'
import { knownPins, rememberPins } from './knownPins.ts'

export interface ServerKeys {
  /** As published, oldest first; what this browser remembers, when what is published is an alarm. */
  readonly keys: readonly SeenKey[]
  readonly canRemember: boolean
  /** Whether this browser has seen the server before. */
  readonly isFirstSight: boolean
  readonly alarm: AuditError | undefined
}

export interface SeenKey extends PinnedKey {
  readonly isKnown: boolean
}

/** Asks for the keys, compares them with what this browser has seen, and remembers them. Throws what a call throws; what was caught is an alarm. */
export async function readServerKeys(baseUrl: string): Promise<ServerKeys> {
  const { pinned, canRemember } = await knownPins(baseUrl)
  const before = pinned?.keys ?? []
  const about = { canRemember, isFirstSight: pinned === undefined }
  try {
    const { keys } = await auditServer(createCalls({ baseUrl }), pinned)
    await rememberPins(keys)
    const isKnown = (keyId: string) => before.some((key) => key.keyId === keyId)
    return { ...about, keys: keys.keys.map((key) => ({ ...key, isKnown: isKnown(key.keyId) })), alarm: undefined }
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    return { ...about, keys: before.map((key) => ({ ...key, isKnown: true })), alarm: error }
  }
}
