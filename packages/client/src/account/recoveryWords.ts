/**
 * 24 words that encode 32 bytes (BIP-39, English, 8 bits of checksum). BIP-39 stretches words into a seed for wallets;
 * here the bytes themselves are the secret, because 256 random bits need no stretching.
 */
import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { WordsError } from './wordsError.ts'

export const RECOVERY_WORDS = 24
/** 24 words have at most 215 characters; the rest is for spaces. Normalization is quadratic in combining marks. */
const MAX_TYPED_CHARACTERS = 1000

/** Throws `RangeError` unless `secret` has 32 bytes. */
export async function wordsOfSecret(secret: Uint8Array): Promise<readonly string[]> {
  if (secret.length !== KEY_BYTES) throw new RangeError(`a recovery secret is ${KEY_BYTES} bytes`)
  const { entropyToMnemonic, wordlist } = await loadList()
  return entropyToMnemonic(secret, wordlist).split(' ')
}

/** The typed words without the heading and list numbers (`1. core`) of a saved file. No word has a digit. */
export function typedWords(typed: string): readonly string[] {
  return listIn(typed)
    .split(/\s+/u)
    .map((word) => word.replace(/^\d{1,2}[.):]?/u, ''))
    .filter((word) => word !== '')
}

/** From the first line that begins with `1.`: the lines before it are a heading. Without such a line, everything. */
function listIn(typed: string): string {
  const start = typed.search(/^[ \t]*1[.):]/mu)
  return start === -1 ? typed : typed.slice(start)
}

/** Ignores capitals, spaces, line breaks, and the heading and numbers of a list. 32 bytes. Throws `WordsError`. */
export async function secretOfWords(typed: string): Promise<Bytes> {
  const list = listIn(typed).trim()
  if (list.length > MAX_TYPED_CHARACTERS) throw wrongCount()
  const words = typedWords(list.normalize('NFKD').toLowerCase())
  const { mnemonicToEntropy, wordlist } = await loadList()
  const known = new Set(wordlist)
  const at = words.findIndex((word) => !known.has(word))
  const word = words[at]
  if (word !== undefined)
    throw new WordsError('unknown_word', `Word ${at + 1} is not on the list.`, { place: at + 1, word })
  if (words.length !== RECOVERY_WORDS) throw wrongCount()
  try {
    return concatBytes(mnemonicToEntropy(words.join(' '), wordlist))
  } catch {
    // For 24 known words this is the only possible error.
    throw new WordsError('checksum', 'A word is wrong, or two words are swapped.')
  }
}

function wrongCount(): WordsError {
  return new WordsError('count', `There are ${RECOVERY_WORDS} recovery words.`)
}

/** Loaded on first use: a page for sign-ins does not need 2,048 words. */
async function loadList() {
  const [{ entropyToMnemonic, mnemonicToEntropy }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  return { entropyToMnemonic, mnemonicToEntropy, wordlist }
}
