import { shares as german } from '../../text/de/shares.ts'
import { shares as english } from '../../text/en/shares.ts'

export const sharesTexts = { en: english, de: german }
