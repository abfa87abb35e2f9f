import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Language } from '../common/language.ts'
import { guest as de } from '../text/de/guest.ts'
import { guest as en } from '../text/en/guest.ts'
import type { Command } from './messages.ts'

export type GuestTexts = typeof en

export const TEXTS: Readonly<Record<Language, GuestTexts>> = { en, de }

/** Available to every part of the page. */
export interface GuestPages {
  readonly text: GuestTexts
  readonly language: Language
  readonly tell: (command: Command) => void
}

export const GuestPagesContext = createContext<GuestPages | undefined>(undefined)

export function useGuestPages(): GuestPages {
  const pages = useContext(GuestPagesContext)
  if (pages === undefined) throw new Error('useGuestPages needs a GuestPagesContext above it')
  return pages
}
