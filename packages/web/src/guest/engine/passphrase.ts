/** The link's passphrase: whether the link needs one, which one the guest gave last, and whether the server accepted it. */
import type { PassphraseStatus } from '../messages.ts'

export interface Passphrase {
  status(): PassphraseStatus
  require(isRequired: boolean): void
  give(text: string): void
  /** Whether a file can be prepared: no passphrase is needed, or one is given. */
  isThere(): boolean
  /** One is given that the server has not accepted yet. */
  isInDoubt(): boolean
  text(): string | undefined
  /** Undefined when this file has been prepared with the current passphrase. */
  textUnlessUsedFor(id: string): string | undefined
  /** `text` is the passphrase when the proof was started. The proof takes a second; the guest may have given another one meanwhile. */
  wasUsedFor(id: string, text: string | undefined): void
  wasTaken(): void
  /** Refers to the passphrase that this file was prepared with. A newer one is still to be tried. */
  wasRefusedFor(id: string): void
}

export function createPassphrase(onChange: () => void): Passphrase {
  let status: PassphraseStatus = 'not_needed'
  let given = ''
  let isTaken = false
  /** The passphrase of each file that was prepared with one. */
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
    give(text) {
      given = text
      isTaken = false
      if (status !== 'not_needed') become('given')
    },
    isThere: () => status === 'not_needed' || status === 'given',
    isInDoubt: () => status === 'given' && !isTaken,
    text: () => (status === 'given' ? given : undefined),
    textUnlessUsedFor: (id) => (status === 'given' && used.get(id) !== given ? given : undefined),
    wasUsedFor(id, text) {
      if (text !== undefined) used.set(id, text)
    },
    wasTaken() {
      isTaken = true
    },
    wasRefusedFor(id) {
      isTaken = false
      // The server needs one even if it said that the link has none.
      if (status === 'not_needed') become('wanted')
      else if (used.get(id) === given) become('refused')
    },
  }
}
