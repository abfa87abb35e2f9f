import { randomBytes, randomUUID } from 'node:crypto'
import type { Random } from '../../ports/random.ts'

export const systemRandom: Random = {
  // A copy, because small buffers are parts of a pool that Node shares between callers, and a key should have memory
  // of its own.
  bytes: (count) => new Uint8Array(randomBytes(count)),
  uuid: () => randomUUID(),
}
