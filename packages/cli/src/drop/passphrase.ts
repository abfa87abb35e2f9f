/** A link's passphrase for all files of a call: servers count wrong spellings, so each is tried once. */
import { passphraseSpellings, type SpelledPassphrase } from '@blindkeep/client/guest'

export interface Passphrase {
  /** The one to try next. Undefined when all were refused. */
  spelling(): SpelledPassphrase | undefined
  wasRefused(spelling: SpelledPassphrase): void
}

export function createPassphrase(typed: string): Passphrase {
  let left = passphraseSpellings(typed)
  return {
    spelling: () => left[0],
    wasRefused(spelling) {
      left = left.filter((other) => other !== spelling)
    },
  }
}
