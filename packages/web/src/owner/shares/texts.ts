import type { Language } from '../../common/language.ts'
import { shares as german } from '../../text/de/shares.ts'
import { shares as english } from '../../text/en/shares.ts'

const texts = { en: english, de: german } as const

export function sharesText(language: Language): typeof english {
  return texts[language]
}
