/** The receipts of a server, fetched and checked, and the keys that sign them. */
export { verifiers } from './seal/signatures.ts'
export {
  auditServer,
  type CheckedReceipt,
  checkReceipt,
  type DropCustody,
  type ExpectedCustody,
  fetchReceipt,
  hasReceipt,
  parseReceipt,
  type ReceiptCheck,
  type ReceiptOptions,
  type ServerFacts,
} from './verify/audit.ts'
export { erasOf, nameChangesOf } from './verify/keyChanges.ts'
export { type PinnedKey, type PinnedKeyChanges, type PinnedKeys, parsePins } from './verify/pinnedKeys.ts'
export { joinPins } from './verify/pins.ts'
export { parsePublishedKeys, publishedKeys } from './verify/publishedKeys.ts'
