/** The files of one call are one go, and the owner sees them as one batch. What an earlier call has begun goes on. */
import { type Batch, batchOf, newBatchId } from '@blindkeep/client/guest'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import type { ChosenFile } from '../send/files.ts'
import { hasSameWords, keptDrop, type Words } from './kept.ts'

export interface GoOptions extends Words {
  readonly link: string
  readonly home: string
  /** Files that have landed before are sent, too. */
  readonly again?: boolean | undefined
}

export interface Go {
  /** Whether the link has to have room for the file. It has counted one that has landed, or whose upload is open. */
  needsRoom(file: ChosenFile): boolean
  /** The batch of each of `files`, which are in the order in which the owner sees them. A call that goes on with files of an earlier one goes on with its batch. */
  batchesOf(files: readonly ChosenFile[]): (file: ChosenFile) => Batch
}

interface Before {
  readonly hasLanded: boolean
  readonly isCounted: boolean
  readonly batch: Batch | undefined
}

export async function openGo(
  files: readonly ChosenFile[],
  { link, home, again = false, ...words }: GoOptions,
): Promise<Go> {
  const known = new Map<ChosenFile, Before>()
  for (const file of files) {
    const kept = await keptDrop(home, link, file.path).read()
    if (kept === undefined) continue
    const isSameSize = kept.version.size === file.size
    if (kept.is === 'landed') known.set(file, { hasLanded: true, isCounted: isSameSize && !again, batch: undefined })
    else {
      const isSame = hasSameWords(kept.state, words)
      const isCounted = isSame && isSameSize && kept.state.uploadId !== undefined
      known.set(file, { hasLanded: false, isCounted, batch: isSame ? batchOf(kept.state.header) : undefined })
    }
  }
  return {
    needsRoom: (file) => known.get(file)?.isCounted !== true,
    batchesOf(chosen) {
      const landed = again ? 0 : chosen.filter((file) => known.get(file)?.hasLanded).length
      const earlier = chosen.map((file) => known.get(file)?.batch).find((batch) => batch !== undefined)
      const { id, count } = earlier ?? { id: newBatchId(environment), count: chosen.length - landed }
      const places = new Map(chosen.map((file, index) => [file, index]))
      return (file) => ({ id, index: places.get(file), count })
    },
  }
}
