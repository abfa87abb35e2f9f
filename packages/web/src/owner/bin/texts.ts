import { bin as german } from '../../text/de/bin.ts'
import { bin as english } from '../../text/en/bin.ts'

export const binTexts = { en: english, de: german }
