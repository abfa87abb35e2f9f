export type WordsFault = 'count' | 'unknown_word' | 'checksum'

/** What was typed is no recovery words, whoever's: it can be told without asking anybody. */
export class WordsError extends Error {
  override readonly name = 'WordsError'
  readonly reason: WordsFault
  /** Which word is not on the list: counted from 1, and as it was read. */
  readonly unknown: { readonly place: number; readonly word: string } | undefined

  constructor(reason: WordsFault, message: string, unknown?: WordsError['unknown']) {
    super(message)
    this.reason = reason
    this.unknown = unknown
  }
}
