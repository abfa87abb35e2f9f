import type { Language } from '../../common/language.ts'
import { take as german } from '../../text/de/take.ts'
import { take as english } from '../../text/en/take.ts'

const texts = { en: english, de: german } as const

export function takeText(language: Language): typeof english {
  return texts[language]
}
