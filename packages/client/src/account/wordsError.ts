import { ReasonedError } from '@blindkeep/protocol/reasonedError'

export type WordsFault = 'count' | 'unknown_word' | 'checksum'

/** The text is not recovery words of any account. The client detects this without a request. */
export class WordsError extends ReasonedError<WordsFault> {
  override readonly name = 'WordsError'
  /** The word that is not on the list: its number, from 1, and the word. */
  readonly unknown: { readonly place: number; readonly word: string } | undefined

  constructor(reason: WordsFault, message: string, unknown?: WordsError['unknown']) {
    super(reason, message)
    this.unknown = unknown
  }
}
