import type { Seats } from '../../ports/seats.ts'

/** For a server of one process. */
export function createLocalSeats(): Seats {
  const taken = new Map<string, number>()
  return {
    async take(place, count) {
      const present = taken.get(place) ?? 0
      if (present >= count) return undefined
      taken.set(place, present + 1)
      let isLeft = false
      return {
        async leave() {
          if (isLeft) return
          isLeft = true
          const others = (taken.get(place) ?? 0) - 1
          if (others > 0) taken.set(place, others)
          else taken.delete(place)
        },
      }
    },
    close: () => Promise.resolve(),
  }
}
