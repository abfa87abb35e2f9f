/** Finds stored files that copies may match, and sums up copies. Only the client's check tells what is equal. */
import type { AssetFacts } from '@blindkeep/client/owner'
import { BUNDLE_ROLES } from '@blindkeep/client/verify'
import { type AssetId, millisecondsOf } from '@blindkeep/protocol/ids'
import type { CatalogEntry } from './catalog.ts'
import { DOUBT_KINDS, type DoubtKind, TONES, type Tone } from './outcomes.ts'

export const COMPARE_KINDS = [
  ...DOUBT_KINDS,
  'safe',
  'changed_since',
  'no_match',
  'file_unreadable',
  'file_empty',
  'waiting',
  'comparing',
] as const
export type CompareKind = (typeof COMPARE_KINDS)[number]

/** A file of the owner, outside of Blindkeep. */
export interface LocalCopy {
  readonly id: number
  readonly file: File
  /** With its folder, if the owner chose one. */
  readonly name: string
  readonly kind: CompareKind
  /** The stored file that it matches, once that is known, as it was listed before the comparison. */
  readonly kept: AssetFacts | undefined
  /** RFC 3339, by the server's clock; only for a safe copy. */
  readonly checkedAt: string | undefined
  readonly cause: Error | undefined
}

export const UNCOMPARED = { kind: 'waiting', kept: undefined, checkedAt: undefined, cause: undefined } as const

export interface CompareState {
  readonly copies: readonly LocalCopy[]
  readonly isRunning: boolean
  /** Whether later changes, as far as this page learns of them, are known. If not, nothing is a yes. */
  readonly isCurrent: boolean
  /** Bytes of the current copy that were read. */
  readonly progress: { readonly bytes: number; readonly of: number }
  readonly keptNames: ReadonlyMap<AssetId, string>
  readonly error: unknown
}

export function compareTone(kind: CompareKind): Tone {
  if (kind === 'safe') return 'good'
  if (kind === 'changed_since' || kind === 'no_match' || kind === 'file_unreadable' || kind === 'file_empty')
    return 'bad'
  return kind === 'waiting' || kind === 'comparing' ? 'warn' : TONES[kind]
}

/** Each candidate costs some requests and one reading of the copy. */
const MAX_CANDIDATES = 16

/** The stored files of exactly this size. The size is the server's statement, which is enough to select candidates. */
export function candidatesFor(size: number, entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
  return entries.filter(({ facts }) => facts.envelope.plaintext_size === size)
}

/** Files of the same name first, at most as many as are tried. */
export function inOrder(
  candidates: readonly CatalogEntry[],
  { fileName, nameOf }: { readonly fileName: string; readonly nameOf: (assetId: AssetId) => string | undefined },
): readonly CatalogEntry[] {
  const isSame = ({ assetId }: CatalogEntry) => nameOf(assetId) === fileName
  return [...candidates.filter(isSame), ...candidates.filter((entry) => !isSame(entry))].slice(0, MAX_CANDIDATES)
}

/** The most informative of several doubts. A doubt about the same file says more than one about a different file. */
export function mainDoubt(kinds: readonly DoubtKind[]): DoubtKind | undefined {
  const others = kinds.filter((kind) => kind !== 'other_file')
  return DOUBT_KINDS.find((kind) => others.some((other) => other === kind)) ?? kinds[0]
}

type CompareVerdict =
  | { readonly answer: 'none' }
  | { readonly answer: 'yes'; readonly count: number; readonly from: string; readonly to: string }
  | { readonly answer: 'no'; readonly kept: readonly LocalCopy[]; readonly total: number }

/** A file that is chosen again replaces its earlier row. Another one of its name is compared again: it may be it. */
export function withChosen(copies: readonly LocalCopy[], added: readonly LocalCopy[]): readonly LocalCopy[] {
  const byName = new Map(added.map((copy) => [copy.name, copy.file]))
  const earlier = copies.flatMap((copy) => {
    const again = byName.get(copy.name)
    if (again === undefined) return [copy]
    const isSame = again.size === copy.file.size && again.lastModified === copy.file.lastModified
    return isSame ? [] : [{ ...copy, ...UNCOMPARED }]
  })
  return [...earlier, ...added]
}

/** A verdict is about one instant: it goes when the file is no longer listed as it was then. */
export function asListed(copy: LocalCopy, assets: ReadonlyMap<AssetId, AssetFacts>): LocalCopy {
  if (copy.kind !== 'safe') return copy
  return copy.kept !== undefined && isListed(copy.kept, assets)
    ? copy
    : { ...copy, ...UNCOMPARED, kind: 'changed_since' }
}

/** Whether the list still has the file as it was then. */
export function isListed(then: AssetFacts, assets: ReadonlyMap<AssetId, AssetFacts>): boolean {
  const now = assets.get(then.assetId)
  return now !== undefined && identityOf(now) === identityOf(then)
}

/** Previews, which a page may add at any time, are no part of it. */
function identityOf({ albumId, blobs }: AssetFacts): string {
  const bundleRoles: readonly string[] = BUNDLE_ROLES
  const hashes = blobs.filter(({ role }) => bundleRoles.includes(role)).map(({ role, hash }) => `${role} ${hash}`)
  return JSON.stringify([albumId, hashes.toSorted()])
}

/** `yes` only when each copy was confirmed; `none` until all are compared. */
export function verdictOn({
  copies,
  isRunning,
  isCurrent,
}: Pick<CompareState, 'copies' | 'isRunning' | 'isCurrent'>): CompareVerdict {
  if (copies.length === 0 || isRunning || !isCurrent) return { answer: 'none' }
  const times = copies.flatMap(({ kind, checkedAt }) => (kind === 'safe' && checkedAt !== undefined ? [checkedAt] : []))
  const sorted = times.toSorted((a, b) => millisecondsOf(a) - millisecondsOf(b))
  const [from, to] = [sorted[0], sorted.at(-1)]
  if (times.length === copies.length && from !== undefined && to !== undefined)
    return { answer: 'yes', count: copies.length, from, to }
  const kept = copies.filter(({ kind, checkedAt }) => kind !== 'safe' || checkedAt === undefined)
  return { answer: 'no', kept, total: copies.length }
}
