import type { Album } from '@blindkeep/client/owner'
import { visibleName } from '../../common/names/visibleName.ts'
import type { AlbumsText } from '../ground/texts.ts'
import type { ShownAsset } from './shownAsset.ts'

/** The album's name, or a text when it has none or can't be opened. */
export function albumName({ name, nameFault }: Pick<Album, 'name' | 'nameFault'>, text: AlbumsText): string {
  if (nameFault !== undefined) return text.nameFault
  return visibleName(name) ?? text.untitled
}

/** The start of an id is enough to tell unsigned files apart. */
const SHORT_ID = 8

/** The signed name. An unsigned file has a name that this page made, which no other file of the owner has. */
export function shownName(
  { asset, description }: Pick<ShownAsset, 'asset' | 'description'>,
  { album, trust }: AlbumsText,
): string {
  if (description === undefined) return trust.name(asset.assetId.slice(0, SHORT_ID))
  return visibleName(description.name) ?? album.unnamed
}
