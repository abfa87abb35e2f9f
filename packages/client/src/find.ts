/** Finding files: what matches, and in which order. Pure, and quick to load. */
export {
  answerFinder,
  asksNames,
  type Findable,
  type FindQuery,
  finderOf,
  isSortOrder,
  type NamedFile,
  SORT_ORDERS,
  type SortOrder,
  sortedBy,
  sortedByAnswer,
} from './find/find.ts'
export { FILE_KINDS, type FileKind, isFileKind, kindOf } from './find/kinds.ts'
