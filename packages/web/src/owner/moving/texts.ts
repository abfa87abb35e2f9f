import { moving as german } from '../../text/de/moving.ts'
import { moving as english } from '../../text/en/moving.ts'

export const movingTexts = { en: english, de: german }
