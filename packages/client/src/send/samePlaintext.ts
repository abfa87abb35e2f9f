import { fromBase64 } from '@blindkeep/protocol/bytes'
import type { Sealer } from '../seal/seal.ts'
import { sealRange } from '../seal/sealStream.ts'
import { type Source, SourceChanged } from '../seal/source.ts'
import type { PreparingProgress } from './hashFile.ts'
import { SendError } from './sendError.ts'
import { type SendState, sealerOf } from './sendState.ts'

interface Comparison {
  readonly source: Source
  readonly onProgress?: ((progress: PreparingProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

interface SamePlaintextOptions extends Comparison {
  readonly state: SendState
}

/**
 * Reads the whole file, and throws `SendError` (`file_changed`) unless it is exactly the prepared one. `send` compares
 * only what it sends. Use this for a file that was chosen again and may be another one.
 */
export async function requireSamePlaintext({ state, ...comparison }: SamePlaintextOptions): Promise<void> {
  await requireSealedBefore({
    ...comparison,
    sealer: await sealerOf(state),
    tags: fromBase64(state.tags),
    of: state.size,
  })
}

interface SealedBefore extends Comparison {
  readonly sealer: Sealer
  readonly tags: Uint8Array
  /** Ciphertext bytes. */
  readonly of: number
}

/** Seals the whole file again, and throws `SendError` (`file_changed`) unless its tags are those of the first pass. */
export async function requireSealedBefore({
  sealer,
  source,
  tags,
  of,
  onProgress,
  signal,
}: SealedBefore): Promise<void> {
  let bytes = 0
  try {
    for await (const piece of sealRange({ sealer, source, tags, from: 0, to: of, signal })) {
      bytes += piece.length
      onProgress?.({ phase: 'preparing', bytes, of })
    }
  } catch (error) {
    throw error instanceof SourceChanged ? new SendError('file_changed', error) : error
  }
}
