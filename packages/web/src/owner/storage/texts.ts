import { storage as german } from '../../text/de/storage.ts'
import { storage as english } from '../../text/en/storage.ts'

export const storageTexts = { en: english, de: german }

export type StorageText = typeof english
