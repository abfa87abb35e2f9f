import type { Quota } from '@blindkeep/client/owner'
import { type Loaded, useLoaded } from '../../common/useLoaded.ts'
import { useLive, useOwnerPages } from '../context.ts'

/** Read again whenever the server tells that it has changed. */
export function useQuota(): Loaded<Quota> {
  const { owner } = useOwnerPages()
  const quota = useLoaded(() => owner.quota())
  useLive(['quota.changed'], quota.reload)
  return quota
}
