import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseJson } from './json.ts'

describe('parseJson', () => {
  it('reads everything that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.deepEqual(parseJson(JSON.stringify(value)), JSON.parse(JSON.stringify(value))),
      ),
    )
  })

  it('refuses a duplicate member in any spelling and at any depth', () => {
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":1,"\\u0061":2}',
      '[{"x":{"a":1,"b":[],"a":{}}}]',
      '{"__proto__":1,"__proto__":1}',
    ]) {
      assert.throws(() => parseJson(text), SyntaxError, text)
    }
  })

  it('accepts the same name in different objects, and the same text as a value', () => {
    for (const text of ['{"a":{"a":"a"},"b":["a","a"]}', '[{"a":1},{"a":1}]', '{"a":"\\"a\\":","b":"{"}']) {
      assert.deepEqual(parseJson(text), JSON.parse(text))
    }
  })

  it('refuses half a surrogate pair and accepts a whole one', () => {
    assert.throws(() => parseJson('{"a":"\\ud800"}'), SyntaxError)
    assert.throws(() => parseJson('["x\\udc00"]'), SyntaxError)
    assert.deepEqual(parseJson('["\\ud83d\\ude00"]'), ['😀'])
  })

  it('walks a mebibyte of brackets and quotes without delay and without a stack overflow', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    assert.ok(Array.isArray(parseJson(deep)))
    assert.throws(() => parseJson('"'.repeat(1_000_001)), SyntaxError)
  })
})
