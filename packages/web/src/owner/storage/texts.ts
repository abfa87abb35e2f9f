import type { Language } from '../../common/language.ts'
import { storage as german } from '../../text/de/storage.ts'
import { storage as english } from '../../text/en/storage.ts'

const texts = { en: english, de: german } as const

export type StorageText = typeof english

export function storageText(language: Language): StorageText {
  return texts[language]
}
