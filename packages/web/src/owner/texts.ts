import { account as germanAccount } from '../text/de/account.ts'
import { owner as german } from '../text/de/owner.ts'
import { account as englishAccount } from '../text/en/account.ts'
import { owner as english } from '../text/en/owner.ts'

export const ownerTexts = { en: english, de: german }
export const accountTexts = { en: englishAccount, de: germanAccount }
