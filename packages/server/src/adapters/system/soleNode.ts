import type { Clock } from '../../ports/clock.ts'
import type { Node } from '../../ports/node.ts'

/** The only process that serves its data, by the clock of its machine. */
export function createSoleNode(clock: Clock): Node {
  return {
    clock,
    nodeId: undefined,
    isSole: true,
    faults: () => [],
    inTurn: (_name, job) => job(),
    announce: () => undefined,
    onNews: () => undefined,
    close: async () => undefined,
  }
}
