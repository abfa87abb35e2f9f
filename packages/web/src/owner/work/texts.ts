import { work as german } from '../../text/de/work.ts'
import { work as english } from '../../text/en/work.ts'

export const workTexts = { en: english, de: german }

export type WorkText = typeof english
