import type { Formats } from '../../common/language/format.ts'
import { guest as de } from '../../text/de/guest.ts'
import { guest as en } from '../../text/en/guest.ts'

export type GuestTexts = typeof en

export const guestTexts = { en, de }

/** What a sentence is made of. */
export interface Words {
  readonly text: GuestTexts
  readonly format: Formats
}
