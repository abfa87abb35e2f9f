import { share as german } from '../text/de/share.ts'
import { share as english } from '../text/en/share.ts'

export const shareTexts = { en: english, de: german }
