import { local as german } from '../text/de/local.ts'
import { local as english } from '../text/en/local.ts'

export const localTexts = { en: english, de: german }
