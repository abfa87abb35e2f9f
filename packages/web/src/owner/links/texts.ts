import type { OwnLink } from '@blindkeep/client/owner'
import type { Language } from '../../common/language.ts'
import { links as german } from '../../text/de/links.ts'
import { links as english } from '../../text/en/links.ts'

const texts = { en: english, de: german } as const

export function linksText(language: Language): typeof english {
  return texts[language]
}

/** The link's label, or a text when it has none. */
export function labelOf({ label }: Pick<OwnLink, 'label'>, language: Language): string {
  return label === undefined || label.trim() === '' ? texts[language].unnamed : label
}
