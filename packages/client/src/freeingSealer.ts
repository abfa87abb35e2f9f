import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Sealer } from './seal.ts'

/** `sealStream.ts` works on one segment while the next is sealed; what came before these two is done with. */
const SEGMENTS_IN_USE = 2

/**
 * The same sealer for a pass over a whole file, giving each segment's memory back as soon as it is done with. Engines count memory outside their heap
 * loosely and would let about 64 MiB of sealed segments pile up before they collect any. A segment is good until the next but one is sealed.
 */
export function freeingSealer(sealer: Sealer): Sealer {
  const inUse: Bytes[] = []
  return {
    ...sealer,
    sealSegment: async (index, plaintext) => {
      const sealed = await sealer.sealSegment(index, plaintext)
      inUse.push(sealed)
      if (inUse.length > SEGMENTS_IN_USE) free(inUse.shift())
      return sealed
    },
  }
}

/** Moving a buffer into one of no length leaves its memory to nobody; engines without `transfer` wait for their collector. */
function free(bytes: Bytes | undefined): void {
  if (bytes !== undefined && 'transfer' in bytes.buffer) bytes.buffer.transfer(0)
}
