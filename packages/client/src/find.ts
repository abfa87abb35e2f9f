/** Finding files: what matches, in which order, and the sealed index of names on a device. */
export {
  asksNames,
  type Findable,
  type FindQuery,
  finderOf,
  isSortOrder,
  type NamedFile,
  SORT_ORDERS,
  type SortOrder,
  sortedBy,
} from './find/find.ts'
export {
  type InboxVisits,
  isAfter,
  isReadDrop,
  laterOf,
  mergedVisits,
  NO_VISITS,
  openVisits,
  sealVisits,
} from './find/inboxVisits.ts'
export { FILE_KINDS, type FileKind, isFileKind, kindOf } from './find/kinds.ts'
export {
  type IndexSeal,
  type KnownName,
  type KnownNames,
  keyOfAsset,
  keyOfDrop,
  knownNameOf,
  MAX_NAMES,
  openNames,
  placeOfIndex,
  sealNames,
} from './find/sealedNames.ts'
