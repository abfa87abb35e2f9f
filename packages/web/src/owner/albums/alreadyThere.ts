/** Which of the chosen files an album has already: after an interruption the same folder is chosen again. */
import { chosenDateText } from '@blindkeep/client/fileDate'
import type { AssetDescription, AssetFacts } from '@blindkeep/client/owner'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import { isNamedAndTimedLike } from './uploadChoice.ts'
import type { ChosenFile, UploadItem } from './uploadItem.ts'

/** As in a list that is scrolled through. */
const MAX_READ_AT_ONCE = 3

export interface AlbumContents {
  readonly assets: readonly AssetFacts[]
  /** The album's uploads that are listed now. */
  readonly uploads: () => readonly UploadItem[]
  /** A name that is known without a request. */
  readonly knownName: (asset: AssetFacts) => string | undefined
  /** Undefined unless a live device of the account has signed it: others could have files left out. */
  readonly describe: (asset: AssetFacts) => Promise<Pick<AssetDescription, 'name' | 'modifiedAt'> | undefined>
}

/**
 * Those with the name, size and date of a whole asset or of an upload. A file that a restored upload lacks is not among
 * them, nor is one whose asset cannot be read now.
 */
export async function alreadyThere<File extends ChosenFile>(
  files: readonly File[],
  { assets, uploads, knownName, describe }: AlbumContents,
): Promise<ReadonlySet<File>> {
  const named = new Set(files.map(({ name, size }) => keyOf(size, name)))
  const sizes = new Set(files.map(({ size }) => size))
  const mayBeChosen = (asset: AssetFacts) => {
    const size = asset.envelope.plaintext_size
    if (!asset.complete || !sizes.has(size)) return false
    const name = knownName(asset)
    return name === undefined || named.has(keyOf(size, name))
  }
  const found = new Set<string>()
  await forEachConcurrently(assets.filter(mayBeChosen), MAX_READ_AT_ONCE, async (asset) => {
    const described = await describe(asset).catch(() => undefined)
    if (described !== undefined) found.add(keyOf(asset.envelope.plaintext_size, described.name, described.modifiedAt))
  })
  const listed = uploads()
  const isListed = (file: File, isMissing: boolean) =>
    listed.some((item) => (item.phase === 'file_missing') === isMissing && isNamedAndTimedLike(item, file))
  const isFound = (file: File) => {
    const date = chosenDateText(file)
    return date !== undefined && found.has(keyOf(file.size, file.name, date))
  }
  return new Set(files.filter((file) => !isListed(file, true) && (isListed(file, false) || isFound(file))))
}

/** Of two with the same name, size and date, the later one. */
export function withoutRepeats<File extends ChosenFile>(files: readonly File[]): readonly File[] {
  return [...new Map(files.map((file) => [keyOf(file.size, file.name, file.lastModified), file])).values()]
}

const keyOf = (...facts: readonly (string | number | undefined)[]) => JSON.stringify(facts)
