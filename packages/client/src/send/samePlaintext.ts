import { fromBase64 } from '@blindkeep/protocol/bytes'
import { sealRange } from '../seal/sealStream.ts'
import { type Source, SourceChanged } from '../seal/source.ts'
import type { PreparingProgress } from './hashFile.ts'
import { SendError } from './sendError.ts'
import { type SendState, sealerOf } from './sendState.ts'

interface SamePlaintextOptions {
  readonly state: SendState
  readonly source: Source
  readonly onProgress?: ((progress: PreparingProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads the whole file, and throws `SendError` (`file_changed`) unless it is exactly the prepared one. `send` compares only what it sends. Use this
 * for a file that was chosen again and may be another one.
 */
export async function requireSamePlaintext({ state, source, onProgress, signal }: SamePlaintextOptions): Promise<void> {
  const sealer = await sealerOf(state)
  const pieces = sealRange({ sealer, source, tags: fromBase64(state.tags), from: 0, to: state.size, signal })
  let bytes = 0
  try {
    for await (const piece of pieces) {
      bytes += piece.length
      onProgress?.({ phase: 'preparing', bytes, of: state.size })
    }
  } catch (error) {
    throw error instanceof SourceChanged ? new SendError('file_changed', error) : error
  }
}
