import { take as german } from '../../text/de/take.ts'
import { take as english } from '../../text/en/take.ts'

export const takeTexts = { en: english, de: german }
