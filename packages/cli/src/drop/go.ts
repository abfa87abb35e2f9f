/** The files of one call are one go, and the owner sees them as one batch. */
import { type Batch, batchOf, newBatchId } from '@blindkeep/client/guest'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import type { ChosenFile } from '../send/files.ts'
import { hasSameWords, keptDrop, type Words } from './kept.ts'

export interface Go extends Words {
  readonly link: string
  readonly home: string
  /** In the order in which the owner sees them. */
  readonly files: readonly ChosenFile[]
  /** Files that have landed before are sent, too. */
  readonly again?: boolean | undefined
}

/** The batch of each file. A call that goes on with files of an earlier one goes on with its batch. */
export async function batchesOf({
  link,
  home,
  files,
  again = false,
  ...words
}: Go): Promise<(file: ChosenFile) => Batch> {
  let [earlier, landed]: [Batch | undefined, number] = [undefined, 0]
  for (const { path } of files) {
    const kept = await keptDrop(home, link, path).read()
    if (kept?.is === 'landed') landed++
    if (kept?.is === 'sending' && hasSameWords(kept.state, words)) earlier ??= batchOf(kept.state.header)
  }
  const { id, count } = earlier ?? { id: newBatchId(environment), count: again ? files.length : files.length - landed }
  const places = new Map(files.map((file, index) => [file, index]))
  return (file) => ({ id, index: places.get(file), count })
}
