import { withPath } from '@blindkeep/client/node'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { type Failure, failureOf } from '../outcomes/failures.ts'
import { freeWritten } from './part.ts'

/** Writes pieces that are verified each. Only the end shows that they are the whole: otherwise, why there is no end. */
export async function toOutput(content: ReadableStream<Bytes>): Promise<Failure | undefined> {
  let written = 0
  try {
    for await (const piece of content) {
      await withPath('Standard output', () => write(piece))
      written += piece.length
      freeWritten(piece)
    }
    return undefined
  } catch (error) {
    const failure = failureOf(error)
    const discard = written === 0 ? '' : ' Discard what was written: it is not the whole file.'
    return { ...failure, message: `${failure.message}${discard}` }
  }
}

function write(piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(piece, (error) => (error ? reject(error) : resolve()))
  })
}
