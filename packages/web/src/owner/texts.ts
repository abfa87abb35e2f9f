import type { Language } from '../common/language.ts'
import { account as germanAccount } from '../text/de/account.ts'
import { owner as german } from '../text/de/owner.ts'
import { account as englishAccount } from '../text/en/account.ts'
import { owner as english } from '../text/en/owner.ts'

const texts = { en: english, de: german } as const
const accountTexts = { en: englishAccount, de: germanAccount } as const

export function ownerText(language: Language): typeof english {
  return texts[language]
}

export function accountText(language: Language): typeof englishAccount {
  return accountTexts[language]
}
