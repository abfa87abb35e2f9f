import type { OwnShare } from '@blindkeep/client/owner'
import { visibleName } from '../../common/names/visibleName.ts'
import { shares as german } from '../../text/de/shares.ts'
import { shares as english } from '../../text/en/shares.ts'

export const sharesTexts = { en: english, de: german }

/** Enough to recognise an address; not enough to open the share. */
const SHORT_ID = 6

/** A share without a name is known by the beginning of its id. */
export const shareName = ({ name, opaqueId }: Pick<OwnShare, 'name' | 'opaqueId'>, text: typeof english): string =>
  visibleName(name) ?? text.name(opaqueId.slice(0, SHORT_ID))

export const isUsedUp = ({ visits, maxDownloads }: Pick<OwnShare, 'visits' | 'maxDownloads'>): boolean =>
  visits !== undefined && maxDownloads !== undefined && visits.downloaded >= maxDownloads
