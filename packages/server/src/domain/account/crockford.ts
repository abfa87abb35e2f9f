/** Crockford's base 32, for codes that people copy by hand: no letter looks like a digit or like another letter. */
import type { Random } from '../../ports/random.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CHARACTER_MASK = 31

interface CodeForm {
  /** 5 bits each. */
  readonly characters: number
  /** Characters between two hyphens. */
  readonly groupCharacters: number
}

/** For display: `7K3QF-0M9XA`. */
export function newCode(random: Random, { characters, groupCharacters }: CodeForm): string {
  let text = ''
  for (const [index, byte] of random.bytes(characters).entries()) {
    if (index > 0 && index % groupCharacters === 0) text += '-'
    text += ALPHABET.charAt(byte & CHARACTER_MASK)
  }
  return text
}

/** Ignores case, spaces and dashes, and reads letters that look like a digit as that digit. */
export function canonicalCode(typed: string): string {
  return typed
    .replaceAll(/[\s\p{Dash}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
}
