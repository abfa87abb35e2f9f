/** Names that other people chose, before the page shows or speaks them. */

/** These turn the direction of the text after them, so that `exe.fdp` looks like `pdf.exe` (Unicode TR 36, 2.10). */
const directionControls = /\p{Bidi_Control}/gu
/** Characters that are not visible (Unicode TR 44, Default_Ignorable_Code_Point). */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}\s]/gu

export function withoutDirections(text: string): string {
  return text.replace(directionControls, '')
}

/** Without deceiving characters. Undefined without a visible one. */
export function visibleName(name: string | undefined): string | undefined {
  const plain = name === undefined ? '' : withoutDirections(name).trim()
  return plain.replace(invisible, '') === '' ? undefined : plain
}

/** A longer name fills no label and no sentence. */
const CHARACTERS_SPOKEN = 200

/** For labels and sentences: the beginning of a very long name; `otherwise` where there is none to read. */
export function spokenName(name: string | undefined, otherwise: string): string {
  const plain = visibleName(name) ?? otherwise
  return plain.length <= CHARACTERS_SPOKEN ? plain : `${plain.slice(0, CHARACTERS_SPOKEN).toWellFormed()}…`
}
