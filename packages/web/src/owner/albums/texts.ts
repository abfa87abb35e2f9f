import type { Album } from '@blindkeep/client/owner'
import type { Language } from '../../common/language.ts'
import { albums as german } from '../../text/de/albums.ts'
import { albums as english } from '../../text/en/albums.ts'

const texts = { en: english, de: german } as const

export function albumsText(language: Language): typeof english {
  return texts[language]
}

/** The album's name, or a text when it has none or can't be opened. */
export function albumName({ name, nameFault }: Pick<Album, 'name' | 'nameFault'>, language: Language): string {
  if (nameFault !== undefined) return texts[language].nameFault
  return name === undefined || name.trim() === '' ? texts[language].untitled : name
}
