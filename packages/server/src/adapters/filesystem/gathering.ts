/**
 * Bodies arrive in pieces of at most 64 KiB. One `writev` writes many at once: 1.5 times as fast as one call for each
 * piece, and without the copy that joining them needs. More than this would hardly be faster.
 */
const MOST_BYTES = 256 * 1024
/** What every writer may gather, however many there are. `http/chunk.ts` reserves it for each. */
const LEAST_BYTES = 64 * 1024
/** What the writers may gather together, as long as each has its least. */
const ROOM_BYTES = 32 * 1024 * 1024

/** The room in which pieces wait to be written together: smaller steps when many bodies arrive. */
export interface Gathering {
  enter(): void
  /** Must be called once for each `enter`. */
  leave(): void
  /** How many bytes a writer may have gathered before it writes. */
  limitBytes(): number
}

export function createGathering(): Gathering {
  let writers = 0
  return {
    enter() {
      writers += 1
    },
    leave() {
      writers -= 1
    },
    limitBytes: () => Math.max(LEAST_BYTES, Math.min(MOST_BYTES, Math.floor(ROOM_BYTES / writers))),
  }
}
