/** Without characters that look alike: 0 and o, 1, i and l. 31 characters, almost 5 bits each. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const GROUPS = 4
const GROUP_CHARACTERS = 4

/** Four groups of four characters: about 79 bits, too many to try out; Argon2id (RFC 9106) also makes each try slow. */
export function suggestPassphrase(randomBytes: (count: number) => Uint8Array): string {
  const group = () => Array.from({ length: GROUP_CHARACTERS }, () => pick(randomBytes)).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** Bytes beyond the last whole multiple are skipped, so that all characters are equally likely. */
function pick(randomBytes: (count: number) => Uint8Array): string {
  const fair = 256 - (256 % ALPHABET.length)
  for (;;) {
    const [byte = 255] = randomBytes(1)
    if (byte < fair) return ALPHABET[byte % ALPHABET.length] ?? ''
  }
}
