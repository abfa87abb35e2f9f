import type { Config } from '../config/config.ts'
import { createQuota, type Quota } from '../domain/quota/quota.ts'

/** The quota rules with the limits of the server, read from the settings of this command. */
export function quotaOf({ quotaSoftBytes, quotaHardBytes, quotaGraceDays }: Config): Quota {
  return createQuota({ softBytes: quotaSoftBytes, hardBytes: quotaHardBytes, graceDays: quotaGraceDays })
}
