/** The files of one call are one go, and the owner sees them as one batch. What an earlier call has begun goes on. */
import { type Batch, batchOf, newBatchId } from '@blindkeep/client/guest'
import { nodeEnvironment as environment, openFile } from '@blindkeep/client/node'
import type { ChosenFile } from '../send/files.ts'
import { isSameVersion, type Version, versionOf } from '../send/remembered.ts'
import { goesOn, rememberedDrop, type Words } from './remembered.ts'

interface GoOptions extends Words {
  readonly link: string
  readonly home: string
  /** Files that have landed before are sent, too. */
  readonly again?: boolean | undefined
}

export interface Go {
  /** An earlier call has sent the file, and this one does not. */
  hasLanded(file: ChosenFile): boolean
  /** Whether an earlier call has sent the file or begun with it. */
  isKnown(file: ChosenFile): boolean
  /** Whether the link has to have room for the file. It has counted one that has landed, or whose upload is open. */
  needsRoom(file: ChosenFile): boolean
  /** The batch of each of `files`, in the owner's order. A call that continues files continues their batch. */
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
    const kept = await rememberedDrop(home, link, file.path).read()
    // What cannot be read fails when it is its turn.
    const version = kept && (await versionAt(file).catch(() => undefined))
    if (kept === undefined || version === undefined || !isSameVersion(kept.version, version)) continue
    if (kept.is === 'sending') {
      const isSame = goesOn(kept.state, { link, ...words })
      const isCounted = isSame && kept.state.uploadId !== undefined
      known.set(file, { hasLanded: false, isCounted, batch: isSame ? batchOf(kept.state.header) : undefined })
    } else if (!again) known.set(file, { hasLanded: true, isCounted: true, batch: undefined })
  }
  return {
    hasLanded: (file) => known.get(file)?.hasLanded === true,
    isKnown: (file) => known.has(file),
    needsRoom: (file) => known.get(file)?.isCounted !== true,
    batchesOf(chosen) {
      const batchBefore = (file: ChosenFile) => known.get(file)?.batch
      const begun = chosen.find(batchBefore)
      const earlier = begun && batchBefore(begun)
      // An earlier go may have had landed files before its first one, too: positions go on from the place of the file
      // that it has begun.
      const sent = begun === undefined ? chosen.filter((file) => !known.get(file)?.hasLanded) : chosen
      const places = new Map(sent.map((file, index) => [file, index]))
      const shift = begun === undefined ? 0 : (places.get(begun) ?? 0) - (earlier?.index ?? 0)
      const id = earlier?.id ?? newBatchId(environment)
      const announced = earlier?.count ?? sent.length
      return (file) => {
        const index = Math.max(0, (places.get(file) ?? 0) - shift)
        return { id, index, count: Math.max(announced, index + 1) }
      }
    },
  }
}

async function versionAt({ place }: ChosenFile): Promise<Version> {
  const opened = await openFile(place)
  await opened.close()
  return versionOf(opened)
}
