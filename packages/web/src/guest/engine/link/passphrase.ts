/** The link's passphrase: whether it needs one, the last given one, and whether the server accepted it. */
import { passphraseSpellings, type SpelledPassphrase } from '@blindkeep/client/guest'
import type { PassphraseStatus } from '../../ground/messages.ts'

export interface Passphrase {
  status(): PassphraseStatus
  require(isRequired: boolean): void
  /** What the guest has typed. */
  set(typed: string): void
  /** Whether a file can be prepared: no passphrase is needed, or one is given. */
  isReady(): boolean
  /** Whether the guest has given a passphrase that the server has not accepted yet. */
  isUntested(): boolean
  /** The spelling that is tried now. */
  spelling(): SpelledPassphrase | undefined
  /** Undefined when this file has been prepared with the current spelling. */
  spellingUnlessUsedFor(id: string): SpelledPassphrase | undefined
  /** `spelling`: with which the proof began. It takes a second, in which the guest may have given another one. */
  wasUsedFor(id: string, spelling: SpelledPassphrase | undefined): void
  wasAccepted(): void
  /** The server refused this file's spelling. Another, or a newer passphrase, may still be tried. */
  wasRefusedFor(id: string): void
}

export function createPassphrase(onChange: () => void): Passphrase {
  let status: PassphraseStatus = 'not_needed'
  /** The spellings of the last passphrase that were not refused. The first one is tried. */
  let spellings: readonly SpelledPassphrase[] = []
  let isAccepted = false
  /** For each file that was prepared with a passphrase, its spelling. */
  const used = new Map<string, SpelledPassphrase>()
  const become = (next: PassphraseStatus) => {
    status = next
    onChange()
  }
  return {
    status: () => status,
    require(isRequired) {
      if (isRequired && status === 'not_needed') become(spellings.length === 0 ? 'wanted' : 'given')
      if (!isRequired) become('not_needed')
    },
    set(typed) {
      spellings = passphraseSpellings(typed)
      isAccepted = false
      if (status !== 'not_needed') become('given')
    },
    isReady: () => status === 'not_needed' || status === 'given',
    isUntested: () => status === 'given' && !isAccepted,
    spelling: () => (status === 'given' ? spellings[0] : undefined),
    spellingUnlessUsedFor: (id) => (status === 'given' && used.get(id) !== spellings[0] ? spellings[0] : undefined),
    wasUsedFor(id, spelling) {
      if (spelling !== undefined) used.set(id, spelling)
    },
    wasAccepted() {
      isAccepted = true
    },
    wasRefusedFor(id) {
      isAccepted = false
      // The server asks for a passphrase even if it said that the link has none.
      if (status === 'not_needed') return become('wanted')
      const [tried, ...others] = spellings
      if (used.get(id) !== tried) return
      spellings = others
      if (others.length === 0) become('refused')
    },
  }
}
