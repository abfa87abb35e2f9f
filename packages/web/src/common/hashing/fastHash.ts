import { type RunningHash, systemEnvironment } from '@blindkeep/client/environment'
import { createSHA256 } from 'hash-wasm'

/** SHA-256 in WebAssembly, or JavaScript where that is refused: in all documents of the pages, not their workers. */
export async function createFastHash(): Promise<RunningHash> {
  try {
    const hash = await createSHA256()
    return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() }
  } catch {
    return systemEnvironment.createHash()
  }
}
