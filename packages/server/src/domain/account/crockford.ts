import type { Random } from '../../ports/random.ts'

/** Crockford's base 32, for codes that people object and type: no letter that is taken for a digit or another letter. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BITS_OF_CHARACTER = 31

interface CodeForm {
  /** Of 5 bits each. */
  readonly characters: number
  /** How many stand between two hyphens. */
  readonly groupCharacters: number
}

/** As it is shown: `7K3QF-0M9XA`. */
export function newCode(random: Random, { characters, groupCharacters }: CodeForm): string {
  let text = ''
  for (const [index, byte] of random.bytes(characters).entries()) {
    if (index > 0 && index % groupCharacters === 0) text += '-'
    text += ALPHABET.charAt(byte & BITS_OF_CHARACTER)
  }
  return text
}

/** What was typed without what does not matter: case, spaces, dashes, and letters that look like a digit. */
export function canonicalCode(typed: string): string {
  return typed
    .replaceAll(/[\s\p{Dash}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
}
