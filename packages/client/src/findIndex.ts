/** What a device keeps, sealed, to find files: their names, and what was new and read in the inbox. */
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
