/** Asks before a file is opened that a device has signed which was revoked later. */
import type { OwnerFlags } from '../account/profile.ts'
import { agrees } from '../ground/ask.ts'
import { shown, timeText } from '../ground/texts.ts'
import { titleOf } from './chosen.ts'
import type { DescribedAsset } from './described.ts'

/** Named in the question; of more files only the number is said. */
const MAX_NAMED = 5

/** Whether all of them may be opened. Asks once. */
export async function consents(chosen: readonly DescribedAsset[], flags: OwnerFlags): Promise<boolean> {
  const doubtful = chosen.filter(({ signerRevokedAt }) => signerRevokedAt !== undefined)
  if (doubtful.length === 0) return true
  const named = doubtful.slice(0, MAX_NAMED).map((one) => `${shown(titleOf(one))}, ${markOf(one)}`)
  const more = doubtful.length > MAX_NAMED ? ` And ${doubtful.length - MAX_NAMED} more.` : ''
  return await agrees(
    `${named.join('; ')}.${more} A person who has that device may have put another file in the place of yours. Open what is there all the same?`,
    flags,
  )
}

/** Undefined for a file of a device that may sign. */
export function markOf({ signerRevokedAt }: Pick<DescribedAsset, 'signerRevokedAt'>): string | undefined {
  return signerRevokedAt === undefined ? undefined : `signed by a device that was revoked ${timeText(signerRevokedAt)}`
}
