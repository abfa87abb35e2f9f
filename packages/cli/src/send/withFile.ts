import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { SendError } from '@blindkeep/client/errors'
import { type OpenFile, openFile } from '@blindkeep/client/node'
import type { Place } from './files.ts'

/** Works with a file, and once more if it changed meanwhile. `before`: the file before it was opened. */
export async function withFile<Result>(
  place: Place,
  signal: AbortSignal,
  work: (opened: OpenFile & { readonly before: BigIntStats }) => Promise<Result>,
): Promise<Result> {
  const once = async () => {
    const before = await stat(place, { bigint: true })
    const opened = await openFile(place, signal)
    try {
      return await work({ ...opened, before })
    } finally {
      await opened.close()
    }
  }
  return await once().catch((error: unknown) => {
    if (error instanceof SendError && error.reason === 'file_changed' && !signal.aborted) return once()
    throw error
  })
}
