/** Text as it is compared: without case, accents, invisible characters and what turns the direction of text. */

/** Only so much of a text is compared. A name on a disk has at most 255 bytes. */
export const MAX_TEXT_UNITS = 512

const PLAIN = /^[\x20-\x7e]*$/
/** Marks of a decomposed letter, and characters that are not visible (Unicode TR 44). */
const DROPPED = /[\p{M}\p{Default_Ignorable_Code_Point}\p{Cc}]/gu

/** The work rises with the length of the text up to `MAX_TEXT_UNITS`, and not beyond. */
export function foldText(text: string): string {
  const cut = text.length > MAX_TEXT_UNITS ? text.slice(0, MAX_TEXT_UNITS).toWellFormed() : text
  if (PLAIN.test(cut)) return cut.toLowerCase()
  return cut.toLowerCase().normalize('NFKD').replace(DROPPED, '').replaceAll('ß', 'ss').toLowerCase()
}

/** Digits of a number are compared as one: `scan 2` comes before `scan 10`. */
export function sortKeyOf(folded: string): string {
  return folded.replace(/\d{1,15}/g, (digits) => digits.padStart(16, '0'))
}
