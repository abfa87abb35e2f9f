/** What is known of the link's passphrase: whether there has to be one, which was given last, and whether the server took it. */
import type { PassphraseStanding } from './messages.ts'

export interface Passphrase {
  standing(): PassphraseStanding
  /** The link asks for one, or does not. */
  require(isRequired: boolean): void
  give(text: string): void
  /** Whether a file can be prepared and begun. */
  isThere(): boolean
  /** One was given, and the server has not taken it so far: one file alone tries it. */
  isInDoubt(): boolean
  text(): string | undefined
  /** The passphrase, unless this file has been prepared with it. */
  textUnlessUsedFor(id: string): string | undefined
  /** The one that was given when its proof was begun, which takes a second: another may have been given meanwhile. */
  wasUsedFor(id: string, text: string | undefined): void
  wasTaken(): void
  /** The one that this file was prepared with; another that was given meanwhile is still to be tried. */
  wasRefusedFor(id: string): void
}

export function createPassphrase(onChange: () => void): Passphrase {
  let standing: PassphraseStanding = 'not_needed'
  let given = ''
  let isTaken = false
  /** Of each file, the passphrase that it was prepared with. */
  const used = new Map<string, string>()
  const become = (next: PassphraseStanding) => {
    standing = next
    onChange()
  }
  return {
    standing: () => standing,
    require(isRequired) {
      if (isRequired && standing === 'not_needed') become(given === '' ? 'wanted' : 'given')
      if (!isRequired) become('not_needed')
    },
    give(text) {
      given = text
      isTaken = false
      if (standing !== 'not_needed') become('given')
    },
    isThere: () => standing === 'not_needed' || standing === 'given',
    isInDoubt: () => standing === 'given' && !isTaken,
    text: () => (standing === 'given' ? given : undefined),
    textUnlessUsedFor: (id) => (standing === 'given' && used.get(id) !== given ? given : undefined),
    wasUsedFor(id, text) {
      if (text !== undefined) used.set(id, text)
    },
    wasTaken() {
      isTaken = true
    },
    wasRefusedFor(id) {
      isTaken = false
      // Whatever was said of the link: as long as nothing is given, another try would be refused as well.
      if (standing === 'not_needed') become('wanted')
      else if (used.get(id) === given) become('refused')
    },
  }
}
