/** Which stored file a copy at hand may be, and what may be said of all copies together. That they are the same, only the client finds out. */
import type { AssetId } from '@blindkeep/protocol/ids'
import type { CatalogEntry } from './catalog.ts'
import { DOUBT_KINDS, type DoubtKind, TONES, type Tone } from './outcomes.ts'

export const COMPARE_KINDS = [...DOUBT_KINDS, 'safe', 'no_match', 'file_unread', 'waiting', 'comparing'] as const
export type CompareKind = (typeof COMPARE_KINDS)[number]

export interface Copy {
  readonly id: number
  readonly file: File
  /** With its folder, where one was chosen. */
  readonly name: string
  readonly kind: CompareKind
  /** As what it is kept, once that is known. */
  readonly keptAs: AssetId | undefined
  /** RFC 3339, by the server's clock; of a yes. */
  readonly checkedAt: string | undefined
  readonly cause: Error | undefined
}

export function compareTone(kind: CompareKind): Tone {
  if (kind === 'safe') return 'good'
  if (kind === 'no_match' || kind === 'file_unread') return 'bad'
  return kind === 'waiting' || kind === 'comparing' ? 'warn' : TONES[kind]
}

/** Each costs some requests, and a pass over the copy when the size is the same. */
const MAX_CANDIDATES = 16

/** What has exactly as many bytes, by the server's word, which is good enough to know where to look. */
export function candidatesFor(size: number, entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
  return entries.filter(({ facts }) => facts.envelope.plaintext_size === size)
}

/** Those of the same name first, and no more than can be tried. */
export function inOrder(
  candidates: readonly CatalogEntry[],
  { fileName, nameOf }: { readonly fileName: string; readonly nameOf: (assetId: AssetId) => string | undefined },
): readonly CatalogEntry[] {
  const isSame = ({ assetId }: CatalogEntry) => nameOf(assetId) === fileName
  return [...candidates.filter(isSame), ...candidates.filter((entry) => !isSame(entry))].slice(0, MAX_CANDIDATES)
}

/** Of several tries without a yes, the one that says most: that of a file which was the same tells more than that another was another. */
export function worthSaying(kinds: readonly DoubtKind[]): DoubtKind | undefined {
  const others = kinds.filter((kind) => kind !== 'other_file')
  return DOUBT_KINDS.find((kind) => others.some((other) => other === kind)) ?? kinds[0]
}

export type CompareVerdict =
  | { readonly answer: 'none' }
  | { readonly answer: 'yes'; readonly count: number; readonly from: string; readonly to: string }
  | { readonly answer: 'no'; readonly kept: readonly Copy[]; readonly total: number }

/** Yes only when every single one got its own; nothing before all are through. */
export function verdictOn(copies: readonly Copy[], isRunning: boolean): CompareVerdict {
  if (copies.length === 0 || isRunning) return { answer: 'none' }
  const times = copies.flatMap(({ kind, checkedAt }) => (kind === 'safe' && checkedAt !== undefined ? [checkedAt] : []))
  const sorted = times.toSorted((a, b) => Date.parse(a) - Date.parse(b))
  const [from, to] = [sorted[0], sorted.at(-1)]
  if (times.length === copies.length && from !== undefined && to !== undefined)
    return { answer: 'yes', count: copies.length, from, to }
  const kept = copies.filter(({ kind, checkedAt }) => kind !== 'safe' || checkedAt === undefined)
  return { answer: 'no', kept, total: copies.length }
}
