import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import vectors from '../../../vectors/emails.json' with { type: 'json' }
import { EMAIL_PATTERN, MAX_EMAIL_LENGTH, normaliseEmail } from './email.ts'

describe('an e-mail address', () => {
  const { valid, invalid } = vectors

  it('has the form of the vectors, and its form is its own', () => {
    assert.ok(valid.length >= 10)
    for (const { typed, email } of valid) {
      assert.equal(normaliseEmail(typed), email, JSON.stringify(typed))
      assert.equal(normaliseEmail(email), email)
    }
  })

  it('is refused where the vectors have none', () => {
    assert.ok(invalid.length >= 30)
    for (const { typed } of invalid) assert.equal(normaliseEmail(typed), undefined, JSON.stringify(typed))
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
    assert.deepEqual([vectors.pattern, vectors.max_length], [EMAIL_PATTERN, MAX_EMAIL_LENGTH])
    const pattern = new RegExp(vectors.pattern, 'u')
    for (const { typed } of valid) assert.match(typed, pattern)
    const texts = [...invalid.map(({ typed }) => typed), ...Object.values(refused).flat()]
    const ascii = texts.filter((text) => text.length <= vectors.max_length && /^[\0-\x7f]*$/.test(text))
    assert.ok(ascii.length > 40)
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
