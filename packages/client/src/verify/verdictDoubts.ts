import { BUNDLE_ROLES, type BundleRole } from '../assets/bundleRoles.ts'
import { type Doubt, doubt } from './doubt.ts'
import type { AssetVerdict, BlobVerdict } from './verifyStorage.ts'

/**
 * How closely the server must look. `deep`: it reads and hashes every byte again, or the answer is no.
 * `deep_if_allowed`: without a deep scan if the account's budget does not allow one now. `structural`: no deep scan.
 */
export type Depth = 'deep' | 'deep_if_allowed' | 'structural'

/** Whether every byte was read and hashed again. */
export type Examination = 'deep' | 'structural'

export function examinationOf({ blobs }: AssetVerdict): Examination {
  return blobs.every(({ deep }) => deep === 'intact') ? 'deep' : 'structural'
}

const NAMES: Readonly<Record<BundleRole, string>> = {
  original: 'file itself',
  metadata: 'sealed name',
  provenance: 'signed manifest',
}

/** All that speaks against destroying a file. The blobs are those of a complete asset, in `BUNDLE_ROLES` order. */
export function verdictDoubts(verdict: AssetVerdict | undefined, depth: Depth): readonly Doubt[] {
  const doubts = BUNDLE_ROLES.flatMap((role, index) => blobDoubts(role, verdict?.blobs[index], depth))
  if (doubts.length > 0 || verdict?.durable === true) return doubts
  return [doubt('not_durable', 'The server does not vouch for the asset as a whole.')]
}

function blobDoubts(role: BundleRole, blob: BlobVerdict | undefined, depth: Depth): readonly Doubt[] {
  const name = NAMES[role]
  if (blob === undefined) return [doubt('not_durable', `The server says nothing about the ${name}.`)]
  if (blob.deep === 'corrupt') return [doubt('corrupt', `The server’s ${name} is damaged.`)]
  if (blob.role !== role) return [doubt('not_durable', `The server does not hold the ${name} as such.`)]
  if (!blob.stored) return [doubt('not_durable', `The server does not have the ${name}.`)]
  if (!blob.indexed || !blob.retrievable)
    return [doubt('not_durable', `The server has the ${name} and does not return it.`)]
  return examinationDoubts(name, blob, depth)
}

function examinationDoubts(name: string, { deep }: BlobVerdict, depth: Depth): readonly Doubt[] {
  if (depth === 'structural' || deep === 'intact') return []
  if (deep === 'rate_limited')
    return depth === 'deep_if_allowed'
      ? []
      : [
          doubt(
            'rate_limited',
            `The account’s budget does not allow another read of the ${name} now; ask again in an hour.`,
          ),
        ]
  return [doubt('not_examined', `The server was asked to read the ${name} again and did not.`)]
}
