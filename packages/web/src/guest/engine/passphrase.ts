/** The link's passphrase: whether the link needs one, which passphrase the guest gave last, and whether the server accepted it. */
import type { PassphraseStatus } from '../messages.ts'

export interface Passphrase {
  status(): PassphraseStatus
  require(isRequired: boolean): void
  set(text: string): void
  /** Whether a file can be prepared: no passphrase is needed, or one is given. */
  isReady(): boolean
  /** Whether the guest has given a passphrase that the server has not accepted yet. */
  isUntested(): boolean
  text(): string | undefined
  /** Undefined when this file has been prepared with the current passphrase. */
  textUnlessUsedFor(id: string): string | undefined
  /** `text` is the passphrase when the proof was started. The proof takes a second; the guest may have given another passphrase meanwhile. */
  wasUsedFor(id: string, text: string | undefined): void
  wasAccepted(): void
  /** The server refused the passphrase that this file was prepared with. A newer passphrase is still to be tried. */
  wasRefusedFor(id: string): void
}

export function createPassphrase(onChange: () => void): Passphrase {
  let status: PassphraseStatus = 'not_needed'
  let given = ''
  let isAccepted = false
  /** For each file that was prepared with a passphrase, that passphrase. */
  const used = new Map<string, string>()
  const become = (next: PassphraseStatus) => {
    status = next
    onChange()
  }
  return {
    status: () => status,
    require(isRequired) {
      if (isRequired && status === 'not_needed') become(given === '' ? 'wanted' : 'given')
      if (!isRequired) become('not_needed')
    },
    set(text) {
      given = text
      isAccepted = false
      if (status !== 'not_needed') become('given')
    },
    isReady: () => status === 'not_needed' || status === 'given',
    isUntested: () => status === 'given' && !isAccepted,
    text: () => (status === 'given' ? given : undefined),
    textUnlessUsedFor: (id) => (status === 'given' && used.get(id) !== given ? given : undefined),
    wasUsedFor(id, text) {
      if (text !== undefined) used.set(id, text)
    },
    wasAccepted() {
      isAccepted = true
    },
    wasRefusedFor(id) {
      isAccepted = false
      // The server asks for a passphrase even if it said that the link has none.
      if (status === 'not_needed') become('wanted')
      else if (used.get(id) === given) become('refused')
    },
  }
}
