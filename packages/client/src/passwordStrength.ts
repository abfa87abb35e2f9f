/** Estimates how well a password resists offline guessing. */

/** Below it, a password is `short`. */
export const MIN_PASSWORD_CHARACTERS = 12

export type PasswordStrength =
  | { readonly level: 'short'; readonly missing: number }
  | { readonly level: 'weak' | 'fair' | 'good'; readonly missing?: undefined }

/** Fewer different characters make a pattern. */
const MIN_DISTINCT = 6
/** Below it, a password is `fair` at most. */
const GOOD_CHARACTERS = 20
const KNOWN = /passwor[dt]|qwert[yz]|asdf|abcdef|123456|654321|blindkeep|letmein|iloveyou|hallo/iu

/** `known`: the e-mail address, which an attacker tries first. */
export function passwordStrength(password: string, known = ''): PasswordStrength {
  const characters = [...password.normalize('NFKC')]
  if (characters.length < MIN_PASSWORD_CHARACTERS)
    return { level: 'short', missing: MIN_PASSWORD_CHARACTERS - characters.length }
  const rest = withoutKnown(password, known)
  const isPattern =
    new Set(rest).size < MIN_DISTINCT || /^\d+$/u.test(rest) || [...rest].length < MIN_PASSWORD_CHARACTERS
  if (isPattern) return { level: 'weak' }
  return { level: characters.length < GOOD_CHARACTERS ? 'fair' : 'good' }
}

/** The password without its well-known parts. */
function withoutKnown(password: string, known: string): string {
  const [name = ''] = known.toLowerCase().split('@')
  const lower = password.toLowerCase().replace(KNOWN, '')
  return name.length < 3 ? lower : lower.replaceAll(name, '')
}
