/**
 * The one form in which e-mail addresses are compared, stored and part of a key derivation. Client and server use this
 * function: if they disagreed, a client would derive a password's keys from another text than the one that the
 * account was made with.
 */

/** Characters, before and after normalisation (RFC 5321, section 4.5.3.1.3, without the brackets). */
export const MAX_EMAIL_LENGTH = 254

/**
 * The rule of `<input type=email>` (HTML, section "Valid e-mail address"), lower case only. ASCII only: every character
 * is visible, is read from left to right, and has no look-alike of another script. A domain with other letters is
 * written in its `xn--` form.
 */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const TYPED_LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const TYPED = `[\\t\\n\\r ]*[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${TYPED_LABEL}(?:\\.${TYPED_LABEL})*[\\t\\n\\r ]*`
/**
 * For a schema: what `normaliseEmail` may read. Characters outside of ASCII are judged after NFKC, which a pattern
 * cannot apply. Written for the regular expressions of other languages, too.
 */
export const EMAIL_PATTERN = `^(?:${TYPED}|[\\s\\S]*[^\\x00-\\x7f][\\s\\S]*)$`

const plain = new RegExp(`^[a-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})*$`)

/**
 * NFKC, without ASCII white space at both ends, A to Z in lower case. Undefined for what is no plain address then: not
 * exactly one `@`, white space or control characters inside, any character outside of ASCII (invisible, bidirectional,
 * look-alike), or more than `MAX_EMAIL_LENGTH` characters. Idempotent.
 */
export function normaliseEmail(text: string): string | undefined {
  if (text.length > MAX_EMAIL_LENGTH) return undefined
  const email = text
    .normalize('NFKC')
    .replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return email.length <= MAX_EMAIL_LENGTH && plain.test(email) ? email : undefined
}
