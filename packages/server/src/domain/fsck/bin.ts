import type { AuditedEntry } from '../../ports/store.ts'
import { type Finding, findBroken } from './finding.ts'

/** What is in the bin is nowhere else, and is charged as it says. Its objects may be deleted before a sweep ends it. */
export function checkEntry({ entryId, accountId, size, isLive, objects }: AuditedEntry): readonly Finding[] {
  const bytes = objects.reduce((sum, blob) => sum + blob.size, 0)
  return findBroken({ bin_id: entryId, account_id: accountId }, [
    [size !== bytes, 'bin_wrong', `${size} bytes charged, ${bytes} in its blobs`],
    [isLive, 'bin_wrong', 'it is in its table, too'],
    ...objects.map(
      ({ size: length, object }) =>
        [
          object !== undefined && (object.state === 'staged' || object.state === 'kept' || object.size !== length),
          'bin_wrong',
          `${length} bytes, their object is ${object?.state ?? 'unknown'} with ${object?.size ?? 0}`,
        ] as const,
    ),
  ])
}
