import type { OwnLink } from '@blindkeep/client/owner'
import { visibleName } from '../../common/names/visibleName.ts'
import type { LinksText } from '../ground/texts.ts'

/** The link's label, or a text when it has none. */
export function labelOf({ label }: Pick<OwnLink, 'label'>, { unnamed }: LinksText): string {
  return visibleName(label) ?? unnamed
}
