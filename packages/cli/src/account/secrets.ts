/** What opens an account: its password, a code of the second factor, its recovery words. */
import { passwordStrength } from '@blindkeep/client/passwordStrength'
import { canAsk, secret } from '../ground/ask.ts'
import { LocalError } from '../ground/exits.ts'

/** Paths of files with one secret each. Without one it comes from the environment or from the terminal. */
export interface SecretFlags {
  readonly passwordFile?: string
  readonly codeFile?: string
  readonly wordsFile?: string
}

const PASSWORD = { what: 'Password', variable: 'BLINDKEEP_PASSWORD', flag: '--password-file' }
const CODE = {
  what: 'Code of the authenticator, or a backup code',
  variable: 'BLINDKEEP_CODE',
  flag: '--code-file',
}
const WORDS = {
  what: 'The 24 recovery words',
  variable: 'BLINDKEEP_RECOVERY_WORDS',
  flag: '--words-file',
  lines: true,
}

export function askPassword({ passwordFile: file }: SecretFlags): Promise<string> {
  return secret({ ...PASSWORD, file })
}

/** Throws `LocalError` for one that is too short. */
export async function askNewPassword(what: string, { passwordFile: file }: SecretFlags): Promise<string> {
  const password = await secret({ ...PASSWORD, what, file, twice: true })
  const { missing } = passwordStrength(password)
  if (missing === undefined) return password
  throw new LocalError(`The password is too short: ${missing} more characters are needed.`)
}

export function askCode({ codeFile: file }: SecretFlags): Promise<string> {
  return secret({ ...CODE, file })
}

/** Whether a person typed the code, and can type another one. */
export function canAskCodeAgain({ codeFile }: SecretFlags): boolean {
  return codeFile === undefined && !process.env[CODE.variable] && canAsk()
}

export function askWords({ wordsFile: file }: SecretFlags): Promise<string> {
  return secret({ ...WORDS, file })
}
