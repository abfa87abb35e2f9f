/** What the guest sends with one press of the button is one go: its files are one batch. */

import type { Environment } from '@blindkeep/client/environment'
import { type Batch, batchOf, newBatchId, type SendState } from '@blindkeep/client/guest'

export interface NewBatch {
  batchAt(index: number): Batch
}

export interface Batches {
  /** The guest goes on with an upload of an earlier visit, so what is sent next belongs to its go. */
  goOn(state: SendState): void
  /** `count`: how many files are sent. */
  begin(count: number): NewBatch
}

export function createBatches(environment: Pick<Environment, 'randomBytes'>): Batches {
  let earlier: SendState | undefined
  return {
    goOn(state) {
      earlier ??= state
    },
    begin(count) {
      const { header } = earlier ?? {}
      const batch = header && batchOf(header)
      earlier = undefined
      if (header === undefined || batch === undefined) {
        const id = newBatchId(environment)
        return { batchAt: (index) => ({ id, index, count }) }
      }
      // The positions of the files that were not sealed before the page was closed are not known any more.
      return { batchAt: () => ({ id: batch.id, count: batch.count }) }
    },
  }
}
