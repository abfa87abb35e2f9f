import { addSeconds, formatInstant, type Instant } from '@blindkeep/protocol/ids'
import type { ReadTx } from '../../ports/store.ts'
import { collectorPausedUntil } from '../custody/collect.ts'
import { receiptSeqFloor } from '../custody/receipts.ts'
import { broken, type Finding, found } from './finding.ts'

/** A backup pauses for minutes at a time. */
const MAX_PAUSE_SECONDS = 86_400

/** What would keep the log from growing, or the collector from its work, without a word. */
export async function judgeFacts(tx: ReadTx, now: Instant): Promise<readonly Finding[]> {
  const floor = await read(() => receiptSeqFloor(tx))
  const pausedUntil = await read(() => collectorPausedUntil(tx))
  if (floor instanceof Error || pausedUntil instanceof Error)
    return [floor, pausedUntil]
      .filter((fact) => fact instanceof Error)
      .map(({ message }) => found('fact_wrong', {}, message))
  return broken({}, [
    [
      pausedUntil !== undefined && pausedUntil > addSeconds(now, MAX_PAUSE_SECONDS),
      'fact_wrong',
      `the collector is paused until ${pausedUntil === undefined ? 'never' : formatInstant(pausedUntil)}`,
    ],
  ])
}

/** Each throws a plain error when its fact is not of its form. */
async function read<Fact>(fact: () => Promise<Fact>): Promise<Fact | Error> {
  try {
    return await fact()
  } catch (error) {
    if (error instanceof Error && error.name === 'Error') return error
    throw error
  }
}
