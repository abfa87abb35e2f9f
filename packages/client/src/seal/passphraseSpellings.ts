/** How a link's passphrase enters Argon2id: people say, write and type it (decisions/passphrases.md). */

declare const brand: unique symbol
/** Enters Argon2id as it is. */
export type SpelledPassphrase = string & { readonly [brand]: 'SpelledPassphrase' }

/** White space, hyphens and dashes, and characters that are not seen. */
const UNHEARD = /[\p{White_Space}\p{Dash}\p{Cf}]/gu

/** The form of each new link: without what is not heard. A passphrase of nothing else stays as it is. */
export function normalPassphrase(typed: string): SpelledPassphrase {
  const text = typed.normalize('NFKC')
  // To upper case first, because ß is SS there, and σ and ς are one letter.
  const heard = text.replace(UNHEARD, '').toUpperCase().toLowerCase().normalize('NFKC')
  return spelled(heard === '' ? text : heard)
}

/**
 * What a guest who types this may mean, in the order to try. The second one opens links of clients that took every
 * passphrase as typed. The server counts each wrong one.
 */
export function passphraseSpellings(typed: string): readonly SpelledPassphrase[] {
  return [...new Set([normalPassphrase(typed), spelled(typed.normalize('NFKC'))])]
}

/** The one place where a text becomes spelled. */
function spelled(text: string): SpelledPassphrase {
  return text as SpelledPassphrase
}
