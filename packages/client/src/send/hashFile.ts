import { parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { Environment } from '../ground/environment.ts'
import type { Sealer } from '../seal/seal.ts'
import { hashSealed, type SealRecord } from '../seal/sealStream.ts'
import { type Source, SourceChanged } from '../seal/source.ts'
import { SendError } from './sendError.ts'

export interface HashedFile extends SealRecord {
  readonly ciphertextHash: Sha256Hex
}

/** Progress of the hashing pass. */
export interface PreparingProgress {
  readonly phase: 'preparing'
  /** Ciphertext bytes hashed so far. */
  readonly bytes: number
  readonly of: number
}

interface HashFileOptions {
  readonly sealer: Sealer
  readonly source: Source
  readonly environment: Environment
  readonly onProgress?: ((progress: PreparingProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Reads the whole file with flat memory. Throws `SendError` (`file_changed`), and the signal's reason. */
export async function hashFile(options: HashFileOptions): Promise<HashedFile> {
  const { sealer, source, signal, onProgress, environment } = options
  const hash = await environment.createFileHash(sealer.sealedSize)
  try {
    const record = await hashSealed({
      sealer,
      source,
      signal,
      hash,
      onProgress: (bytes) => onProgress?.({ phase: 'preparing', bytes, of: sealer.sealedSize }),
    })
    return { ...record, ciphertextHash: sha256Of(record) }
  } catch (error) {
    throw error instanceof SourceChanged ? new SendError('file_changed', error) : error
  } finally {
    hash.end()
  }
}

function sha256Of({ ciphertextHash }: SealRecord): Sha256Hex {
  const hash = parseSha256Hex(ciphertextHash)
  if (hash === undefined) throw new Error('the running hash did not return a SHA-256')
  return hash
}
