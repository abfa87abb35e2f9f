import { EMAIL_PATTERN, MAX_EMAIL_LENGTH, normaliseEmail } from '@blindkeep/protocol/email'

const VALID: Readonly<Record<string, string>> = {
  'ada@example.org': 'ada@example.org',
  ' \t Ada.Lovelace+test@Example.ORG \r\n': 'ada.lovelace+test@example.org',
  "o'brien/!#$%&*=?^_`{|}~-@example.org": "o'brien/!#$%&*=?^_`{|}~-@example.org",
  'me@localhost': 'me@localhost',
  'a@xn--mller-kva.example': 'a@xn--mller-kva.example',
  'ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ': 'ada@example.org',
  '\u00a0ada@example.org\u3000': 'ada@example.org',
  '\u212aai@example.org': 'kai@example.org',
  'o\ufb03ce@example.org': 'office@example.org',
  [`${'a'.repeat(242)}@example.org`]: `${'a'.repeat(242)}@example.org`,
}

const INVALID: Readonly<Record<string, readonly string[]>> = {
  'not exactly one @': ['', '@', 'ada', 'a@b@c', 'a＠b@c', '@example.org', 'ada@'],
  'white space or a control character inside': [
    'a da@example.org',
    'ada\u00a0x@example.org',
    'ada\0@example.org',
    'a@b.c\nbcc: x@b.c',
  ],
  'an invisible character': ['ada\u200b@example.org', '\ufeffada@example.org', 'a\u00adda@example.org'],
  'a bidirectional control': ['\u202eada@example.org', 'ada@\u2066example.org'],
  'a look-alike of another script': ['\u0430da@example.org', 'ada@\u0435xample.org'],
  'a letter outside of ASCII': ['j\u00f6rg@example.org', 'ada@m\u00fcller.example', '\u017f\u0301@example.org'],
  'a malformed domain': ['a@.org', 'a@b.', 'a@b..c', 'a@-b', 'a@b-', 'a@b_c', 'a@[127.0.0.1]', `a@${'b'.repeat(64)}`],
  'a quoted name': ['"a b"@example.org', 'Ada <ada@example.org>'],
  'too long, before or after NFKC': [`${'a'.repeat(243)}@example.org`, `${'\ufb03'.repeat(100)}@example.org`],
}

export function emailVectors() {
  const valid = Object.entries(VALID).map(([typed, email]) => ({ typed, email }))
  for (const { typed, email } of valid)
    if (normaliseEmail(typed) !== email) throw new Error(`${JSON.stringify(typed)} has another form`)
  const invalid = Object.entries(INVALID).flatMap(([reason, texts]) => texts.map((typed) => ({ reason, typed })))
  for (const { typed } of invalid)
    if (normaliseEmail(typed) !== undefined) throw new Error(`${JSON.stringify(typed)} is accepted`)
  return { max_length: MAX_EMAIL_LENGTH, pattern: EMAIL_PATTERN, valid, invalid }
}
