/** The receiver's side of a share: opens its address, lists its files and streams them. */
export {
  newVisit,
  type OpenedShare,
  type OpenShareOptions,
  openShare,
  type SharedAsset,
  type SharedFile,
  type ShareParts,
} from './share/openShare.ts'
export { parseShare } from './share/shareAddress.ts'
