import { formats } from '../common/language/format.ts'
import type { Language } from '../common/language/language.ts'

export interface Counts {
  /** A number as the reader writes it: "1,234". */
  readonly number: (count: number) => string
  /** The form that agrees with the count. English and German have these two (CLDR plural rules). */
  readonly plural: (count: number, one: string, other: string) => string
}

/** How the texts of one language count. */
export function countsIn(language: Language): Counts {
  const rules = new Intl.PluralRules(language)
  return {
    number: formats[language].number,
    plural: (count, one, other) => (rules.select(count) === 'one' ? one : other),
  }
}
