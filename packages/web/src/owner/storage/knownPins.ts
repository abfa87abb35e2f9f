import { AuditError } from '@blindkeep/client/errors'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import { keepPins, loadPins } from '../../common/storage/pinStore.ts'

export interface KnownPins {
  readonly pinned: PinnedKeys | undefined
  /** False when the browser stores nothing: a swapped key would not be detected. */
  readonly canRemember: boolean
}

export async function knownPins(baseUrl: string): Promise<KnownPins> {
  try {
    return { pinned: await loadPins(baseUrl), canRemember: true }
  } catch {
    return { pinned: undefined, canRemember: false }
  }
}

/**
 * Ignores a failure of the browser: `knownPins` reports it as `canRemember`, and the check that found the keys stays
 * valid. Rejects with `AuditError` when the server gave other keys to another request.
 */
export async function rememberPins(keys: PinnedKeys | undefined): Promise<void> {
  if (keys === undefined) return
  try {
    await keepPins(keys)
  } catch (error) {
    if (error instanceof AuditError) throw error
  }
}
