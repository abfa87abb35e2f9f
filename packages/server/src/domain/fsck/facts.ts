import { addSeconds, formatInstant, type Instant } from '@blindkeep/protocol/ids'
import type { ReadTx } from '../../ports/store.ts'
import { collectorPausedUntil } from '../custody/collect.ts'
import { receiptSeqFloor } from '../custody/receipts.ts'
import { createFinding, type Finding, findBroken } from './finding.ts'

/** A backup pauses for minutes at a time. */
const MAX_PAUSE_SECONDS = 86_400

/** Wrong facts that would silently stop the log or the collector. */
export async function checkFacts(tx: ReadTx, now: Instant): Promise<readonly Finding[]> {
  const floor = await read(() => receiptSeqFloor(tx))
  const pausedUntil = await read(() => collectorPausedUntil(tx))
  if (floor instanceof Error || pausedUntil instanceof Error)
    return [floor, pausedUntil]
      .filter((fact) => fact instanceof Error)
      .map(({ message }) => createFinding('fact_wrong', {}, message))
  return findBroken({}, [
    [
      pausedUntil !== undefined && pausedUntil > addSeconds(now, MAX_PAUSE_SECONDS),
      'fact_wrong',
      `the collector is paused until ${pausedUntil === undefined ? 'never' : formatInstant(pausedUntil)}`,
    ],
  ])
}

/** Turns the plain error of a malformed fact into a value. */
async function read<Fact>(fact: () => Promise<Fact>): Promise<Fact | Error> {
  try {
    return await fact()
  } catch (error) {
    if (error instanceof Error && error.name === 'Error') return error
    throw error
  }
}
