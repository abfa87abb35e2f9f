import type { Quota } from '@blindkeep/client/owner'
import { type Loaded, useLoaded } from '../../common/useLoaded.ts'
import { useLive, useOwnerPages } from '../context.ts'

/** Loads the quota again whenever the server reports a change. */
export function useQuota(): Loaded<Quota> {
  const { owner } = useOwnerPages()
  const quota = useLoaded(() => owner.quota())
  useLive(['quota.changed'], quota.reload)
  return quota
}
