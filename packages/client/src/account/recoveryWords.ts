/**
 * 24 words and the 32 bytes behind them (BIP-39, English, 8 bits of checksum). BIP-39 goes on to stretch words into a seed for wallets;
 * here the bytes themselves are the secret, as 256 random bits need no stretching.
 */
import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { WordsError } from './wordsError.ts'

export const RECOVERY_WORDS = 24

/** Throws `RangeError` when `secret` is not 32 bytes. */
export async function wordsOfSecret(secret: Uint8Array): Promise<readonly string[]> {
  if (secret.length !== KEY_BYTES) throw new RangeError(`a recovery secret is ${KEY_BYTES} bytes`)
  const { entropyToMnemonic, wordlist } = await loadList()
  return entropyToMnemonic(secret, wordlist).split(' ')
}

/** However they are typed: capitals, spaces and lines do not matter. 32 bytes. Throws `WordsError`. */
export async function secretOfWords(typed: string): Promise<Bytes> {
  const words = typed.normalize('NFKD').trim().toLowerCase().split(/\s+/u)
  const { mnemonicToEntropy, wordlist } = await loadList()
  const known = new Set(wordlist)
  const at = words.findIndex((word) => !known.has(word))
  const word = words[at]
  if (word !== undefined && word !== '')
    throw new WordsError('unknown_word', `Word ${at + 1} is not one of the list.`, { place: at + 1, word })
  if (words.length !== RECOVERY_WORDS) throw new WordsError('count', `There are ${RECOVERY_WORDS} recovery words.`)
  try {
    return concatBytes(mnemonicToEntropy(words.join(' '), wordlist))
  } catch {
    // Of words that are known and as many as there should be, it throws for nothing else.
    throw new WordsError('checksum', 'A word is wrong, or two have changed places.')
  }
}

/** Loaded when it is first needed: a page that signs people in does without 2,048 words. */
async function loadList() {
  const [{ entropyToMnemonic, mnemonicToEntropy }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  return { entropyToMnemonic, mnemonicToEntropy, wordlist }
}
