/** Makes a proof about a file that was sent, and checks it as its reader will. Loaded when a guest asks for proofs. */
import { serverUrlOf } from '@blindkeep/client/call'
import type { Environment } from '@blindkeep/client/environment'
import { type CheckedProof, checkedProof, openingOfState, ProofError } from '@blindkeep/client/fileProof'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import { SourceChanged } from '@blindkeep/client/source'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { SentFile } from './sentFiles.ts'

interface ProofOptions extends SentFile {
  readonly receipt: AssetReceipt
  /** Of the server, as this browser has seen them. */
  readonly pins: PinnedKeys
  readonly environment: Environment
  readonly signal: AbortSignal
  /** Called with the sealed bytes of the file that are checked so far. */
  readonly onProgress: (bytes: number) => void
}

/** Reads the whole file. Undefined if it is not the sent one any more. Throws the signal's reason. */
export async function makeProof({ state, ...parts }: ProofOptions): Promise<CheckedProof | undefined> {
  const file = await openingOfState(state)
  try {
    return await checkedProof({ ...parts, file, serverId: new URL(serverUrlOf(state)).origin })
  } catch (error) {
    // A file that was changed in place has other bytes; one that was replaced, another length or none.
    const isChanged = error instanceof ProofError && (error.reason === 'bytes' || error.reason === 'length')
    if (isChanged || error instanceof SourceChanged) return undefined
    throw error
  }
}
