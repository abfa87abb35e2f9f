import { secret } from './ask.ts'
import { UsageError } from './exits.ts'

export interface NewPassphraseFlags {
  readonly passphrase?: boolean
  readonly passphraseFile?: string
}

/** The passphrase that something new gets: undefined without a flag for it. */
export async function newPassphrase(
  what: string,
  { passphrase, passphraseFile: file }: NewPassphraseFlags,
): Promise<string | undefined> {
  if (passphrase !== true && file === undefined) return undefined
  const given = await secret({ what, file, variable: 'BLINDKEEP_PASSPHRASE', flag: '--passphrase-file', twice: true })
  if (given.trim() === '') throw new UsageError('the passphrase is empty.')
  return given
}
