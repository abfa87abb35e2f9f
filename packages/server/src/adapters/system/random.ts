import { randomBytes, randomUUID } from 'node:crypto'
import type { Random } from '../../ports/random.ts'

export const systemRandom: Random = {
  // An object, because small buffers come out of a pool that Node shares between callers, and a key is better off with memory of its own.
  bytes: (count) => new Uint8Array(randomBytes(count)),
  uuid: () => randomUUID(),
}
