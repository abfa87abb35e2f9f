export type WordsFault = 'count' | 'unknown_word' | 'checksum'

/** The text is not recovery words of any account. The client detects this without a request. */
export class WordsError extends Error {
  override readonly name = 'WordsError'
  readonly reason: WordsFault
  /** The word that is not on the list: its number, from 1, and the word. */
  readonly unknown: { readonly place: number; readonly word: string } | undefined

  constructor(reason: WordsFault, message: string, unknown?: WordsError['unknown']) {
    super(message)
    this.reason = reason
    this.unknown = unknown
  }
}
