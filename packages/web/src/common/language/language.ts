/** The pages' languages. Each has texts of one shape (`src/text/`): a missing text does not compile. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

/** The key in `localStorage`: the choice is no secret, and it outlives the tab. */
const STORAGE_KEY = 'blindkeep.language'

export function isLanguage(text: string | null): text is Language {
  return text !== null && Object.hasOwn(LANGUAGES, text)
}

/** The first of the reader's languages (BCP 47) that the pages speak, or English. */
export function pickLanguage(preferred: readonly string[]): Language {
  const known = preferred.map((tag) => tag.toLowerCase().split('-')[0] ?? null).find(isLanguage)
  return known ?? 'en'
}

/** The page's language with the reader's region for numbers and dates: `en-DE`. */
export function readerLocale(language: Language, preferred: readonly string[] = navigator.languages): string {
  const regions = preferred.map((tag) => /-([a-z]{2}|\d{3})(?=-|$)/i.exec(tag)?.[1])
  const region = regions.find((found) => found !== undefined)
  return region === undefined ? language : `${language}-${region.toUpperCase()}`
}

/** The reader's choice on this device, or else what the browser prefers. */
export function presentLanguage(): Language {
  const kept = keptLanguage()
  return isLanguage(kept) ? kept : pickLanguage(navigator.languages)
}

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    // A browser that refuses storage still shows the page.
    return null
  }
}

export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(STORAGE_KEY, language)
  } catch {
    // The choice then lasts until the page is closed.
  }
}
