import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EMAIL_PATTERN, MAX_EMAIL_LENGTH, normaliseEmail } from './email.ts'

describe('an e-mail address', () => {
  const accepted: readonly (readonly [string, string])[] = [
    ['ada@example.org', 'ada@example.org'],
    [' \t Ada.Lovelace+test@Example.ORG \r\n', 'ada.lovelace+test@example.org'],
    ["o'brien/!#$%&*=?^_`{|}~-@example.org", "o'brien/!#$%&*=?^_`{|}~-@example.org"],
    ['me@localhost', 'me@localhost'],
    ['a@xn--mller-kva.example', 'a@xn--mller-kva.example'],
    ['ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ', 'ada@example.org'],
    ['\u00a0ada@example.org\u3000', 'ada@example.org'],
    ['\u212aai@example.org', 'kai@example.org'],
    ['o\ufb03ce@example.org', 'office@example.org'],
  ]
  for (const [typed, form] of accepted)
    it(`is ${JSON.stringify(form)} when typed as ${JSON.stringify(typed)}, and its form is its own`, () => {
      assert.equal(normaliseEmail(typed), form)
      assert.equal(normaliseEmail(form), form)
    })

  const refused: Readonly<Record<string, readonly string[]>> = {
    'not exactly one @': ['', '@', 'ada', 'ada.example.org', 'a@b@c', 'a＠b@c', '@example.org', 'ada@'],
    'white space or a control character inside': [
      'a da@example.org',
      'ada@exa mple.org',
      'ada\u00a0x@example.org',
      'ada\0@example.org',
      'ada@example.org\u0085x',
      'ada@example.org\nbcc: x@example.org',
    ],
    'invisible characters': [
      'ada\u200b@example.org',
      'ada@example.org\u200b',
      '\ufeffada@example.org',
      'a\u00adda@example.org',
      'ada@exa\u2060mple.org',
      'ada\ufe0f@example.org',
      'ada\u{e0061}@example.org',
    ],
    'bidirectional controls': ['\u202eada@example.org', 'ada@\u2066example.org', 'ada\u200f@example.org'],
    'look-alikes of another script': ['аda@example.org', 'ada@еxample.org', 'adα@example.org', 'ada@exampIe.օrg'],
    'letters outside of ASCII': ['jörg@example.org', 'ada@müller.example', '用户@例え.jp', 'ſ\u0301@example.org'],
    'a malformed domain': ['a@.org', 'a@b.', 'a@b..c', 'a@-b', 'a@b-', 'a@b_c', 'a@[127.0.0.1]', `a@${'b'.repeat(64)}`],
    'a quoted name': ['"a b"@example.org', '"ada"@example.org', 'Ada <ada@example.org>'],
    'a lone half of a surrogate pair': ['ada\ud800@example.org'],
  }
  for (const [what, examples] of Object.entries(refused))
    it(`is refused with ${what}`, () => {
      for (const example of examples) assert.equal(normaliseEmail(example), undefined, JSON.stringify(example))
    })

  it('has a pattern for schemas: what is accepted fits, and of ASCII nothing else', () => {
    const pattern = new RegExp(EMAIL_PATTERN, 'u')
    for (const [typed] of accepted) assert.match(typed, pattern)
    const isAscii = (text: string) => [...text].every((letter) => letter < '\u0080')
    const ascii = Object.values(refused).flat().filter(isAscii)
    assert.ok(ascii.length > 20)
    for (const example of ascii) assert.doesNotMatch(example, pattern)
  })

  it('has at most 254 characters, also after normalisation', () => {
    const longest = `${'a'.repeat(MAX_EMAIL_LENGTH - '@example.org'.length)}@example.org`
    assert.equal(normaliseEmail(longest), longest)
    assert.equal(normaliseEmail(`a${longest}`), undefined)
    assert.equal(normaliseEmail(`\u{1f1e6}${' '.repeat(MAX_EMAIL_LENGTH)}`), undefined)
    assert.equal(normaliseEmail(`${'\ufb03'.repeat(100)}@example.org`), undefined)
  })
})
