import type { PinnedKeys } from '@blindkeep/client/receipts'
import { keepPins, loadPins } from '../../common/pinStore.ts'

export interface KnownPins {
  readonly pinned: PinnedKeys | undefined
  /** False where the browser keeps nothing, so that an exchanged key would not be noticed. */
  readonly canRemember: boolean
}

export async function knownPins(baseUrl: string): Promise<KnownPins> {
  try {
    return { pinned: await loadPins(baseUrl), canRemember: true }
  } catch {
    return { pinned: undefined, canRemember: false }
  }
}

/** What cannot be kept is told by `knownPins`; the check that found the keys is as good without. */
export async function rememberPins(keys: PinnedKeys | undefined): Promise<void> {
  if (keys !== undefined) await keepPins(keys).catch(() => undefined)
}
