/** What the guest sends with one press of the button is one go: its files have one message and are one batch. */

import type { Environment } from '@blindkeep/client/environment'
import { type Batch, batchOf, newBatchId, type SendState } from '@blindkeep/client/guest'
import type { Message } from '../messages.ts'

export interface Go {
  readonly message: Message
  batchAt(index: number): Batch
}

export interface Goes {
  /** The guest goes on with an upload of an earlier visit, so what is sent next belongs to its go. */
  goOn(state: SendState): void
  /** `count`: how many files are sent. */
  begin(message: Message, count: number): Go
}

export function createGoes(environment: Pick<Environment, 'randomBytes'>): Goes {
  let earlier: SendState | undefined
  return {
    goOn(state) {
      earlier ??= state
    },
    begin(message, count) {
      const { header } = earlier ?? {}
      const batch = header && batchOf(header)
      earlier = undefined
      if (header === undefined || batch === undefined) {
        const id = newBatchId(environment)
        return { message, batchAt: (index) => ({ id, index, count }) }
      }
      // The positions of the files that were not sealed before the page was closed are not known any more.
      return { message: messageOf(message, header), batchAt: () => ({ id: batch.id, count: batch.count }) }
    },
  }
}

/** A message that was given once is not asked for again. */
function messageOf(given: Message, { note = '', sender = '' }: SendState['header']): Message {
  return given.note === '' && given.sender === '' ? { note, sender } : given
}
