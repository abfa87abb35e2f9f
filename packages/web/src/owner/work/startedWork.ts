import type { Owner } from '@blindkeep/client/owner'
import type { WorkQueue } from './workQueue.ts'
import type { WorkTabs } from './workTabs.ts'

export interface StartedWork extends WorkQueue {
  readonly tabs: WorkTabs
}

/** Of this page. */
export const startedWork = new WeakMap<Owner, StartedWork>()
