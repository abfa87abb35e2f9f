/** Sends bytes while they are read. */
import type { ServerResponse } from 'node:http'

/** Given to the system at once. `connections.ts` sees after each whether a client goes on: slow ones get little. */
const LEAST_BYTES = 64 * 1024
const MOST_BYTES = 512 * 1024
/** A client that takes a write within this time gets twice as much with the next one. */
const QUICK_MS = 100

/**
 * Sends `pieces` and ends the answer. Asks for a piece when the system has taken the one before, whose memory may then
 * be used again. Rejects, and cuts the connection, if a piece cannot be read: what was sent must not look complete. A
 * client that disconnects is no failure.
 */
export async function sendPieces(
  raw: ServerResponse,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  let most = LEAST_BYTES
  try {
    for await (const piece of pieces)
      for (let start = 0, end = 0; start < piece.length; start = end) {
        end = Math.min(piece.length, start + most)
        const begunAt = performance.now()
        if (!(await isTaken(raw, piece.subarray(start, end)))) return
        most = performance.now() - begunAt < QUICK_MS ? Math.min(MOST_BYTES, 2 * most) : LEAST_BYTES
      }
    // Otherwise the end of an answer whose client has disconnected would count as sent.
    if (!raw.destroyed) raw.end()
  } catch (error) {
    raw.destroy()
    throw error
  }
}

/** False if the client has disconnected. */
function isTaken(raw: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = () => resolve(false)
    raw.once('close', onClose)
    raw.write(bytes, (error) => {
      raw.removeListener('close', onClose)
      resolve(!error)
    })
  })
}
