import type { Dialect } from '../../../rows/dialects.ts'
import { accountTables } from './0001/accounts.ts'
import { assetTables } from './0001/assets.ts'
import { custodyTables } from './0001/custody.ts'
import { linkTables } from './0001/links.ts'
import { sharedTables } from './0001/shared.ts'
import { sharingTables } from './0001/sharing.ts'
import { uploadTables } from './0001/uploads.ts'

/**
 * All tables, in an order in which each table follows the ones that it refers to.
 *
 * A check forbids what must never be. It is not how a rule refuses: a statement that violates a check fails, and its
 * transaction with it. Each list has an index in its order. Partial indexes stay small: they cover what is active now,
 * not what has ended.
 */
export const firstTables = (dialect: Dialect): readonly string[] => [
  ...accountTables(dialect),
  ...linkTables(dialect),
  ...assetTables(dialect),
  ...uploadTables(dialect),
  ...custodyTables(dialect),
  ...sharingTables(dialect),
  ...sharedTables(dialect),
]
