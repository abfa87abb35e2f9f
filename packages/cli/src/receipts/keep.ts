import { join } from 'node:path'
import type { CheckedAssetReceipts } from '@blindkeep/client/verify'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { Profile } from '../account/profile.ts'
import { pin } from '../home/pins.ts'
import { saveAssetReceipts } from './saved.ts'
import { noteReceipts, seenReceiptOf } from './seenReceipts.ts'

export const receiptsOfProfile = ({ directory }: Profile) => join(directory, 'receipts')

interface Keeping {
  readonly assetId: AssetId
  readonly checked: CheckedAssetReceipts
  /** Where to save them; without it the profile has them. */
  readonly folder: string | undefined
  /** Of the file. */
  readonly name: string | undefined
}

/** Remembers and saves receipts that were checked. Returns the path. */
export async function keepReceipts(profile: Profile, { assetId, checked, folder, name }: Keeping): Promise<string> {
  const { keys, receipts } = checked
  await pin(profile.home, keys)
  await noteReceipts(
    profile.home,
    keys.serverId,
    receipts.map(({ signed }) => seenReceiptOf(signed, assetId)),
  )
  const listed = receipts.map(({ receipt }) => receipt)
  return folder === undefined
    ? await saveAssetReceipts({ folder: receiptsOfProfile(profile), assetId, name: undefined, receipts: listed })
    : await saveAssetReceipts({ folder, assetId, name, receipts: listed })
}
