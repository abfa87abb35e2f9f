import type { Language } from '../common/language.ts'
import { share as german } from '../text/de/share.ts'
import { share as english } from '../text/en/share.ts'

const texts = { en: english, de: german } as const

export function shareText(language: Language): typeof english {
  return texts[language]
}
