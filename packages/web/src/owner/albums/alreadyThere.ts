/** Which of the chosen files an album has already: after an interruption the same folder is chosen again. */
import { chosenDateText } from '@blindkeep/client/fileDate'
import type { AssetDescription, AssetFacts } from '@blindkeep/client/owner'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import type { AssetId } from '@blindkeep/protocol/ids'
import { isNamedAndTimedLike } from '../uploads/uploadChoice.ts'
import type { ChosenFile, UploadItem } from '../uploads/uploadItem.ts'

/** As in a list that is scrolled through. */
const MAX_READ_AT_ONCE = 3

export interface AlbumContents {
  /** As the server lists them now. */
  readonly assets: () => Promise<readonly AssetFacts[]>
  /** The album's uploads that are listed now. */
  readonly uploads: () => readonly UploadItem[]
  /** A name that is known without a request. */
  readonly knownName: (asset: AssetFacts) => string | undefined
  /** Undefined unless a live device of the account has signed it: others could have files left out. */
  readonly describe: (asset: AssetFacts) => Promise<Pick<AssetDescription, 'name' | 'modifiedAt'> | undefined>
  /** Those that the server says it can return whole. */
  readonly held: (assets: readonly AssetFacts[]) => Promise<ReadonlySet<AssetId>>
}

/**
 * Those with the name, size and date of a whole asset or of an upload. A file that a restored upload lacks is not among
 * them, nor is one whose asset cannot be read now. An upload that has failed brings nothing into the album, and what an
 * ended one has brought may have been deleted or moved since.
 */
export async function alreadyThere<File extends ChosenFile>(
  files: readonly File[],
  { uploads, knownName, describe, held, ...album }: AlbumContents,
): Promise<ReadonlySet<File>> {
  const doneBefore = new Set(uploads().flatMap(({ id, phase }) => (phase === 'done' ? [id] : [])))
  const assets = await album.assets()
  const named = new Set(files.map(({ name, size }) => keyOf(size, name)))
  const sizes = new Set(files.map(({ size }) => size))
  const mayBeChosen = (asset: AssetFacts) => {
    const { plaintext_size: size, key_mode: keyMode } = asset.envelope
    // The name and the date of an adopted file are its guest's words.
    if (!asset.complete || keyMode !== 'derived' || !sizes.has(size)) return false
    const name = knownName(asset)
    return name === undefined || named.has(keyOf(size, name))
  }
  const chosen = new Set(files.map(sealedKeyOf))
  const alike = new Map<AssetFacts, string>()
  await forEachConcurrently(assets.filter(mayBeChosen), MAX_READ_AT_ONCE, async (asset) => {
    const described = await describe(asset).catch(() => undefined)
    if (described?.modifiedAt === undefined) return
    const key = keyOf(asset.envelope.plaintext_size, described.name, described.modifiedAt)
    if (chosen.has(key)) alike.set(asset, key)
  })
  const heldIds = alike.size === 0 ? new Set() : await held([...alike.keys()])
  const found = new Set([...alike].flatMap(([{ assetId }, key]) => (heldIds.has(assetId) ? [key] : [])))
  const listed = uploads().filter(({ id, phase }) => phase !== 'failed' && !doneBefore.has(id))
  const isListed = (file: File, isMissing: boolean) =>
    listed.some((item) => (item.phase === 'file_missing') === isMissing && isNamedAndTimedLike(item, file))
  const isFound = (file: File) => found.has(sealedKeyOf(file))
  return new Set(files.filter((file) => !isListed(file, true) && (isListed(file, false) || isFound(file))))
}

/** Later chosen files replace those with the same name, size and date. In one choice these may be several files. */
export function withChosen<File extends ChosenFile>(before: readonly File[], chosen: Iterable<File>): readonly File[] {
  const files = [...chosen]
  const keys = new Set(files.map(chosenKeyOf))
  return [...before.filter((file) => !keys.has(chosenKeyOf(file))), ...files]
}

const keyOf = (...facts: readonly (string | number | undefined)[]) => JSON.stringify(facts)
const chosenKeyOf = ({ size, name, lastModified }: ChosenFile) => keyOf(size, name, lastModified)
/** Of a file without a date, no asset has it. */
const sealedKeyOf = (file: ChosenFile) => keyOf(file.size, file.name, chosenDateText(file))
