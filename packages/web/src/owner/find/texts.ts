import { find as german } from '../../text/de/find.ts'
import { find as english } from '../../text/en/find.ts'

export const findTexts = { en: english, de: german }
