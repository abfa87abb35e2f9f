/** What the options of `commands/filters.ts` ask for. */
import type { FileKind, Findable, FindQuery, NamedFile, SortOrder } from '@blindkeep/client/find'
import type { DropFacts } from '@blindkeep/client/owner'

export interface FilterFlags {
  readonly kind?: FileKind
  readonly from?: string
  readonly since?: number
  readonly until?: number
  readonly larger?: number
  readonly smaller?: number
}

export interface OrderFlags {
  readonly sort?: SortOrder
}

export function queryOf({ kind, from, since, until, larger, smaller }: FilterFlags): FindQuery {
  return { kind, sender: from, sinceMs: since, untilMs: until, largerThan: larger, smallerThan: smaller }
}

export const isFiltering = (flags: FilterFlags): boolean =>
  Object.values(queryOf(flags)).some((value) => value !== undefined)

interface FindableDrop extends Pick<DropFacts, 'sealedBytes' | 'receivedAt'> {
  readonly file?: (NamedFile & { readonly size: number }) | undefined
}

export function findableDrop({ file, sealedBytes, receivedAt: at }: FindableDrop): Findable {
  return { file, size: file?.size ?? sealedBytes, at }
}
