import { systemEnvironment } from '@blindkeep/client/environment'
import { createSHA256 } from 'hash-wasm'

/** SHA-256 in WebAssembly, or in JavaScript where the browser refuses WebAssembly. */
export const createFileHash: typeof systemEnvironment.createFileHash = async () => {
  try {
    const hash = await createSHA256()
    return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() }
  } catch {
    return systemEnvironment.createFileHash()
  }
}
