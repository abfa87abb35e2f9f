import type { Bytes } from '@blindkeep/protocol/bytes'

/**
 * Gives memory back at once, which leaves whoever still holds it with no bytes. Engines count memory outside their heap loosely, and would let about 64 MiB
 * of sealed segments pile up before they collect any. A message whose receiver is gone takes what was transferred with it (HTML, message port post message
 * steps). `ArrayBuffer.transfer(0)` says the same in fewer words, but after it Chromium keeps the memory for as long as the tab lives.
 */
export function createFreeing(): (bytes: Bytes) => void {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  return (bytes) => port1.postMessage(undefined, [bytes.buffer])
}
