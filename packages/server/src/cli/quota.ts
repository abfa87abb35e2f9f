import type { Config } from '../config.ts'
import { createQuota, type Quota } from '../domain/quota/quota.ts'

/** By the deployment’s limits, as this command’s settings say them. */
export function quotaOf({ quotaSoftBytes, quotaHardBytes, quotaGraceDays }: Config): Quota {
  return createQuota({ softBytes: quotaSoftBytes, hardBytes: quotaHardBytes, graceDays: quotaGraceDays })
}
