import type { OwnLink } from '@blindkeep/client/owner'
import { visibleName } from '../../common/names/visibleName.ts'
import { links as german } from '../../text/de/links.ts'
import { links as english } from '../../text/en/links.ts'

export const linksTexts = { en: english, de: german }

/** The link's label, or a text when it has none. */
export function labelOf({ label }: Pick<OwnLink, 'label'>, { unnamed }: typeof english): string {
  return visibleName(label) ?? unnamed
}
