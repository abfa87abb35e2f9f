import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import fc from 'fast-check'
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, MAX_JSON_VALUES, parseJson as parseBytes } from './json.ts'

const parseJson = (text: string): unknown => parseBytes(Buffer.from(text))

describe('parseJson', () => {
  it('reads everything that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: MAX_JSON_DEPTH }), (value) =>
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

  it('refuses bytes that are not UTF-8', () => {
    assert.throws(() => parseBytes(Uint8Array.of(0x22, 0xff, 0x22)), TypeError)
  })

  it('reads what is as deep as allowed, and refuses one level more, in lists, objects and both', () => {
    const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}0${close.repeat(depth)}`
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deepest = nested(open, close, MAX_JSON_DEPTH)
      assert.deepEqual(parseJson(deepest), JSON.parse(deepest))
      assert.throws(() => parseJson(nested(open, close, MAX_JSON_DEPTH + 1)), SyntaxError)
    }
    assert.throws(() => parseJson(`{"a":${nested('[', ']', MAX_JSON_DEPTH)}}`), SyntaxError)
  })

  it('does not count brackets and commas inside of strings, nor what was closed', () => {
    const text = JSON.stringify({
      a: `${'['.repeat(100)}\\"${'{,'.repeat(MAX_JSON_VALUES)}`,
      '[[[[\\': ['\\'],
      b: '\\"[',
    })
    assert.deepEqual(parseJson(text), JSON.parse(text))
    assert.deepEqual(parseJson(`[${'[[]],'.repeat(100)}[[]]]`), JSON.parse(`[${'[[]],'.repeat(100)}[[]]]`))
  })

  it('reads as many values as allowed and refuses more', () => {
    const listOf = (count: number) => `[${Array(count).fill('1').join()}]`
    assert.ok(Array.isArray(parseJson(listOf(MAX_JSON_VALUES - 1))))
    assert.throws(() => parseJson(listOf(MAX_JSON_VALUES)), SyntaxError)
    assert.throws(() => parseJson(`[${'{},'.repeat(MAX_JSON_VALUES)}{}]`), SyntaxError)
  })

  it('reads as many members of each object as allowed and refuses more', () => {
    const objectOf = (count: number) => `{${Array.from({ length: count }, (_, index) => `"m${index}":[1,2,3]`).join()}}`
    const full = objectOf(MAX_JSON_MEMBERS)
    assert.deepEqual(parseJson(`[${full},${full}]`), JSON.parse(`[${full},${full}]`))
    assert.throws(() => parseJson(`[{"a":[],"b":${objectOf(MAX_JSON_MEMBERS + 1)}}]`), SyntaxError)
  })

  it('has room for every body of the table', () => {
    const bodies = Object.values<Operation>(operations).flatMap(({ body }) =>
      body && 'schema' in body ? [body.schema] : [],
    )
    assert.ok(bodies.length > 10)
    const sizes = bodies.flatMap((schema) => objectsIn(schema, 1))
    assert.ok(Math.max(...sizes.map(({ members }) => members)) < MAX_JSON_MEMBERS)
    assert.ok(Math.max(...sizes.map(({ depth }) => depth)) < MAX_JSON_DEPTH)
    assert.ok(Math.max(...bodies.map(valuesIn)) < MAX_JSON_VALUES)
  })
})

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxItems?: number
}

function objectsIn({ properties = {}, items }: Shape, depth: number): { members: number; depth: number }[] {
  const inside = [...Object.values(properties), ...(items === undefined ? [] : [items])]
  return [{ members: Object.keys(properties).length, depth }, ...inside.flatMap((each) => objectsIn(each, depth + 1))]
}

/** Without a bound there would be infinitely many. */
function valuesIn({ properties = {}, items, maxItems = Number.POSITIVE_INFINITY }: Shape): number {
  const inItems = items === undefined ? 0 : maxItems * valuesIn(items)
  return Object.values(properties).reduce((sum, each) => sum + valuesIn(each), 1 + inItems)
}
