import { abortable } from '../../ground/abortable.ts'
import type { GiveUpAfter } from '../../ground/pause.ts'

interface Limit {
  readonly ms: number
  readonly giveUpAfter: GiveUpAfter
}

/**
 * A question that may get no answer, as from a frozen disk. A call rejects after `ms`. Its question goes on, and is not
 * asked again before it has ended, so that none pile up: the next call waits for the same answer.
 */
export function askedInTime<Value>(ask: () => Promise<Value>, { ms, giveUpAfter }: Limit): () => Promise<Value> {
  let asked: Promise<Value> | undefined
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return abortable(asked, giveUpAfter(ms))
  }
}
