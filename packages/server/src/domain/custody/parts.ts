/** What a store with keys needs besides: parts are joined, and keys that do not count are emptied. */
import { addSeconds, type Instant } from '@blindkeep/protocol/ids'
import { createJoining, type JoiningPorts, type JoiningSettings } from './joining.ts'
import { createPartRemoval } from './partRemoval.ts'

export type PartSettings = JoiningSettings

const LEFTOVERS_EVERY_SECONDS = 86_400

export type Parts = ReturnType<typeof createParts>

export function createParts(ports: JoiningPorts, settings: PartSettings) {
  const { clock, log } = ports
  const { turn } = createJoining(ports, settings)
  const { removeDue, removeLeftovers } = createPartRemoval(ports, settings)
  let lookedAt: Instant | undefined

  /** Once a day: listing a bucket costs requests. */
  async function lookForLeftovers(signal: AbortSignal): Promise<void> {
    if (lookedAt !== undefined && clock.now() < addSeconds(lookedAt, LEFTOVERS_EVERY_SECONDS)) return
    lookedAt = clock.now()
    const removed = await removeLeftovers(signal)
    if (removed > 0) log.warn('keys without a row were removed', { keys: removed })
  }

  return {
    /** Empties keys that are due. */
    removeDue,

    /** Joins parts, and looks for leftovers. Takes long; throws the signal's reason when it aborts. */
    async tend(signal: AbortSignal): Promise<void> {
      await turn(signal)
      await lookForLeftovers(signal)
    },
  }
}
