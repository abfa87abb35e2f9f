/** The proof about a file that this call has sent: only it has the key, which is forgotten when the file has landed. */
import { checkedProof, openingOfState } from '@blindkeep/client/fileProof'
import type { SendState } from '@blindkeep/client/guest'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import type { Source } from '@blindkeep/client/source'
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
export async function provenDrop({ state, keys: pins, ...sent }: SentFile): Promise<object> {
  const { proof } = await checkedProof({ ...sent, pins, file: await openingOfState(state), environment })
  return proof
}
