import type { Quota } from '@blindkeep/client/owner'
import type { Loaded } from '../../common/work/useLoaded.ts'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'

/** Loads the quota again whenever the server reports a change. */
export function useQuota(): Loaded<Quota> {
  const { owner } = useOwnerPages()
  const quota = useRefreshed(() => owner.quota())
  useLive(['quota.changed'], quota.reload)
  return quota
}
