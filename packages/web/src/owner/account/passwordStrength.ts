/** How well a password stands against somebody who has stolen what the server keeps and tries billions. A rough judgement, and it never praises what is short. */
export const PASSWORD_CHARACTERS_MIN = 12

export type PasswordStrength =
  | { readonly level: 'short'; readonly missing: number }
  | { readonly level: 'weak' | 'fair' | 'good'; readonly missing?: undefined }

/** What so few different characters spell is a pattern. */
const DISTINCT_MIN = 6
const GOOD_CHARACTERS = 20
const KNOWN = /passwor[dt]|qwert[yz]|asdf|abcdef|123456|654321|blindkeep|letmein|iloveyou|hallo/iu

/** `known` is what anybody would try first: the e-mail address. */
export function passwordStrength(password: string, known = ''): PasswordStrength {
  const characters = [...password.normalize('NFKC')]
  if (characters.length < PASSWORD_CHARACTERS_MIN)
    return { level: 'short', missing: PASSWORD_CHARACTERS_MIN - characters.length }
  const rest = withoutKnown(password, known)
  const isPattern =
    new Set(rest).size < DISTINCT_MIN || /^\d+$/u.test(rest) || [...rest].length < PASSWORD_CHARACTERS_MIN
  if (isPattern) return { level: 'weak' }
  return { level: characters.length < GOOD_CHARACTERS ? 'fair' : 'good' }
}

/** What is left when that is taken out which a guesser has on the first page. */
function withoutKnown(password: string, known: string): string {
  const [name = ''] = known.toLowerCase().split('@')
  const lower = password.toLowerCase().replace(KNOWN, '')
  return name.length < 3 ? lower : lower.replaceAll(name, '')
}
