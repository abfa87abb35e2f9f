import type { AccountId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { Link, LinkTerms, WriteTx } from '../../ports/store.ts'
import { noteLinkChange } from '../changes/changes.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import { refusePassed } from '../ground/expiry.ts'
import type { Refuses } from '../ground/refusals.ts'
import { dismissRefusals } from './linkRefusals.ts'
import { hasLinkLeft, type OwnLink, withState } from './linkState.ts'

interface LinkChange {
  readonly accountId: AccountId
  readonly opaqueId: OpaqueId
  readonly change: Partial<LinkTerms>
  readonly at: Instant
}

/**
 * Changes the terms of a link. The account's lock keeps reservations and landings out between the judgement and the
 * change: a new cap is never below what the link has used, and a link that its last file has spent stays as it is. What
 * was refused is dismissed; a change of nothing does that alone, for an ended link too.
 */
export async function changeLink(
  tx: WriteTx,
  { accountId, opaqueId, change, at }: LinkChange,
): Promise<
  OwnLink | Refuses<'session_over' | 'link_not_live' | 'cap_below_use' | 'links_exhausted' | 'request_unprocessable'>
> {
  const inactive = await requireActiveAccount(tx, accountId)
  if (inactive !== undefined) return inactive
  const present = await tx.links.findOwn(opaqueId, accountId)
  if (present === undefined) return { refused: 'link_not_live' }
  const { state } = withState(present, at)
  if (Object.keys(change).length === 0 && present.refusals !== undefined) {
    await dismissRefusals(tx, present, at)
    await noteLinkChange(tx, { accountId, opaqueId }, at)
    return { ...withState(present, at), refusals: undefined }
  }
  if (state === 'revoked' || state === 'spent') return { refused: 'link_not_live' }
  const changed = withState({ ...present, ...change }, at)
  // One that stays may have passed.
  const passed = changed.expiresAt === present.expiresAt ? undefined : refusePassed(changed.expiresAt, at)
  if (passed !== undefined) return passed
  const belowUse = capBelowUse(changed, change)
  if (belowUse !== undefined) return { refused: 'cap_below_use', detail: belowUse }
  const isRevived = state === 'expired' && changed.state === 'live'
  if (isRevived && !(await hasLinkLeft(tx, accountId, at))) return { refused: 'links_exhausted' }
  await tx.links.setTerms(opaqueId, changed)
  await dismissRefusals(tx, present, at)
  await noteLinkChange(tx, { accountId, opaqueId }, at)
  return { ...changed, refusals: undefined }
}

/** Only a cap that is changed: one that stays was never below. The size of a single file counts for new files alone. */
function capBelowUse(
  { landedFiles, openSessions, landedBytes, openBytes }: Link,
  { maxFileCount, maxTotalBytes }: Partial<LinkTerms>,
): string | undefined {
  const [usedFiles, usedBytes] = [landedFiles + openSessions, landedBytes + openBytes]
  if ((maxFileCount ?? usedFiles) < usedFiles) return `/max_file_count must be at least ${usedFiles}`
  if ((maxTotalBytes ?? usedBytes) < usedBytes) return `/max_total_bytes must be at least ${usedBytes}`
  return undefined
}
