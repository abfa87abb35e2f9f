/** A disk of a chosen size for the tests of free space: written bytes take it up, removed objects give it back. */
import type { Bytes } from './world.ts'

export function createSmallDisk(diskBytes: number) {
  const written = new Map<string, number>()
  let otherBytes = 0
  let asked = 0
  const freeBytes = () => diskBytes - otherBytes - [...written.values()].reduce((sum, each) => sum + each, 0)
  return {
    freeBytes,
    /** How often the server has asked. */
    timesAsked: () => asked,
    /** Files of another program take this much. */
    fillTo(bytes: number): void {
      otherBytes = bytes
    },
    around: {
      blobs: (real: Bytes): Bytes => ({
        ...real,
        async write(place, request) {
          const { location, offset } = place
          const onBytes = (bytes: Uint8Array) => {
            request.onBytes(bytes)
            position += bytes.length
            written.set(location, Math.max(written.get(location) ?? 0, position))
          }
          let position = offset
          await real.write(place, { ...request, onBytes })
        },
        async remove(location) {
          await real.remove(location)
          written.delete(location)
        },
        async check() {
          asked += 1
          return freeBytes()
        },
      }),
    },
  }
}
