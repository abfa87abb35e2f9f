import type { OwnShare } from '@blindkeep/client/owner'
import { visibleName } from '../../common/names/visibleName.ts'
import type { SharesText } from '../ground/texts.ts'

/** Enough to recognise an address; not enough to open the share. */
const SHORT_ID = 6

/** A share without a name is known by the beginning of its id. */
export const shareName = ({ name, opaqueId }: Pick<OwnShare, 'name' | 'opaqueId'>, text: SharesText): string =>
  visibleName(name) ?? text.name(opaqueId.slice(0, SHORT_ID))

export const isUsedUp = ({ visits, maxDownloads }: Pick<OwnShare, 'visits' | 'maxDownloads'>): boolean =>
  visits !== undefined && maxDownloads !== undefined && visits.downloaded >= maxDownloads
