/** The proof about a file that this call has sent: only it has the key, which is forgotten when the file has landed. */
import { checkFile, checkSigned, openingOfState, parseProof, savedReceipt } from '@blindkeep/client/fileProof'
import type { SendState } from '@blindkeep/client/guest'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import type { Source } from '@blindkeep/client/source'
import { utf8 } from '@blindkeep/protocol/bytes'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { environment } from './environment.ts'

interface SentFile {
  readonly state: SendState
  readonly source: Source
  /** Checked with `keys`. */
  readonly receipt: AssetReceipt
  readonly keys: PinnedKeys
  readonly signal: AbortSignal
}

/** What is saved as JSON, once it holds as others check it. Throws `ProofError`, and `SourceChanged`. */
export async function provenDrop({ state, source, receipt, keys, signal }: SentFile): Promise<object> {
  const saved = savedReceipt({ receipt, pins: keys, file: await openingOfState(state) })
  const proof = parseProof(utf8(JSON.stringify(saved)))
  const signed = await checkSigned(proof, { keys })
  await checkFile({ proof, signed, source, environment, signal })
  return saved
}
