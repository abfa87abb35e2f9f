/** Asks before a file is opened that a device has signed which was revoked later. */
import type { OwnerFlags } from '../account/profile.ts'
import { agrees } from '../ground/ask.ts'
import { shown, timeText } from '../ground/texts.ts'
import { titleOf } from './chosen.ts'
import type { DescribedAsset } from './described.ts'

/** Named in the question; of more files only the number is said. */
const MAX_NAMED = 5

/** Another signature vouches for what is there. */
export const SIGN_IT = 'Sign what is there with this device all the same?'

/** Whether all of them may be opened. Asks once. `question`: what it means, if it is more than that. */
export async function consents(
  chosen: readonly DescribedAsset[],
  flags: OwnerFlags,
  question = 'Open what is there all the same?',
): Promise<boolean> {
  const doubtful = chosen.filter(({ signerRevokedAt }) => signerRevokedAt !== undefined)
  if (doubtful.length === 0) return true
  const named = doubtful.slice(0, MAX_NAMED).map((one) => `${shown(titleOf(one))}, ${markOf(one)}`)
  const more = doubtful.length > MAX_NAMED ? ` And ${doubtful.length - MAX_NAMED} more.` : ''
  return await agrees(
    `${named.join('; ')}.${more} A person who has that device may have put another file in the place of yours. ${question}`,
    flags,
  )
}

/** For opening a file after `consents`, and for nothing that is not marked. */
export function permitted({ signerRevokedAt }: Pick<DescribedAsset, 'signerRevokedAt'>, signal: AbortSignal) {
  return { signal, allowRevokedDevice: signerRevokedAt !== undefined }
}

/** Undefined for a file of a device that may sign. */
export function markOf({ signerRevokedAt }: Pick<DescribedAsset, 'signerRevokedAt'>): string | undefined {
  return signerRevokedAt === undefined ? undefined : `signed by a device that was revoked ${timeText(signerRevokedAt)}`
}
