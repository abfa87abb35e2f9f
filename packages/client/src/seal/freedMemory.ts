import type { Bytes } from '@blindkeep/protocol/bytes'

/**
 * Frees the memory of an array at once; the array is empty afterwards. Engines count memory outside their heap loosely
 * and would let about 64 MiB of sealed segments pile up before a collection. A message to a closed port destroys what
 * was transferred with it (HTML, message port post message steps). `ArrayBuffer.transfer(0)` would be simpler, but
 * after it Chromium keeps the memory for the life of the tab.
 */
export function createFreeing(): (bytes: Bytes) => void {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  return (bytes) => port1.postMessage(undefined, [bytes.buffer])
}
