/** Which language a page speaks. Texts are objects of the same shape, one a language (`src/text/`), so that a missing one does not compile. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

/** Not a secret, so it may lie where it outlives the tab. */
const KEPT_AT = 'blindkeep.language'

export function isLanguage(text: string | null): text is Language {
  return text !== null && Object.hasOwn(LANGUAGES, text)
}

/** The first of the reader's languages (BCP 47) that there are texts in; English when there is none. */
export function pickLanguage(wanted: readonly string[]): Language {
  const known = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? null).find(isLanguage)
  return known ?? 'en'
}

/** What was chosen here once, or else what the browser prefers. */
export function presentLanguage(): Language {
  const kept = keptLanguage()
  return isLanguage(kept) ? kept : pickLanguage(navigator.languages)
}

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(KEPT_AT)
  } catch {
    // A browser that refuses storage still shows the page.
    return null
  }
}

export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(KEPT_AT, language)
  } catch {
    // Then it is asked for again next time.
  }
}
