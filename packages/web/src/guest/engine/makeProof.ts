/** Makes a proof about a file that was sent, and checks it as its reader will. Loaded when a guest asks for proofs. */
import type { Environment } from '@blindkeep/client/environment'
import {
  checkFile,
  checkSigned,
  openingOfState,
  ProofError,
  parseProof,
  savedReceipt,
} from '@blindkeep/client/fileProof'
import type { PinnedKeys } from '@blindkeep/client/receipts'
import { SourceChanged } from '@blindkeep/client/source'
import { utf8 } from '@blindkeep/protocol/bytes'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { SavedReceipt } from './receiptDocument.ts'
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

export interface MadeProof {
  /** SECRET. */
  readonly document: SavedReceipt
  /** What its reader reads, from the sealed header. */
  readonly words: Awaited<ReturnType<typeof checkFile>>
}

/** Reads the whole file. Undefined if it is not the sent one any more. Throws the signal's reason. */
export async function makeProof(options: ProofOptions): Promise<MadeProof | undefined> {
  const { state, receipt, pins, source, environment, signal, onProgress } = options
  const document = savedReceipt({ receipt, pins, file: await openingOfState(state) })
  const proof = parseProof(utf8(JSON.stringify(document)))
  const signed = await checkSigned(proof, { keys: pins, serverId: new URL(state.baseUrl).origin })
  try {
    return { document, words: await checkFile({ proof, signed, source, environment, signal, onProgress }) }
  } catch (error) {
    // A file that was changed in place has other bytes; one that was replaced, another length or none.
    const isChanged = error instanceof ProofError && (error.reason === 'bytes' || error.reason === 'length')
    if (isChanged || error instanceof SourceChanged) return undefined
    throw error
  }
}
