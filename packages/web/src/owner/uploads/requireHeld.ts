import { AuditError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import type { BeforeDestroying } from '@blindkeep/client/verify'
import { knownPins, rememberPins } from '../storage/knownPins.ts'

type Held = Pick<BeforeDestroying, 'assetId' | 'source' | 'uploads' | 'signal'>

interface At {
  readonly owner: Owner
  readonly baseUrl: string
}

/** Rejects unless signed receipts cover this very file: this browser's copy is deleted after that. */
export async function requireHeld({ owner, baseUrl }: At, held: Held): Promise<void> {
  const { pinned } = await knownPins(baseUrl)
  // Not `deep`, for which the server reads the file again: it has just hashed it.
  const answer = await owner.verifyBeforeDestroying({ ...held, depth: 'structural', pinned, allowRevokedDevice: true })
  if (answer.safe) return rememberPins(answer.receipts.keys)
  const { cause, message } = answer.doubts[0] ?? {}
  throw cause ?? new AuditError('receipt_missing', message ?? 'the server does not hold the file')
}
