/** Properties that every decoder of other people's bytes and texts must have, and the inputs for them. */
import assert from 'node:assert/strict'
import fc from 'fast-check'

/** `PROPERTY_RUNS=100 npm run test:client` makes a hundred times as many runs. */
const FACTOR = Number(process.env.PROPERTY_RUNS ?? 1)
if (!(FACTOR > 0)) throw new Error('PROPERTY_RUNS is a number above 0')

export function runs(count: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(count * FACTOR) }
}

const [SURROGATES, AFTER_SURROGATES] = [0xd800, 0xe000] as const

type Change = (one: Uint8Array, other: Uint8Array) => Uint8Array

const join = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts))

/** One place changed, something added or left out, or a part of another input in its place. */
const anyChange: fc.Arbitrary<Change> = fc
  .record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    to: fc.double({ min: 0, max: 1, noNaN: true }),
    bits: fc.integer({ min: 1, max: 255 }),
    more: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    kind: fc.constantFrom('flip', 'truncate', 'extend', 'insert', 'delete', 'repeat', 'splice', 'fill'),
  })
  .map(({ at, to, bits, more, kind }) => (one, other) => {
    const [from, end] = [Math.floor(at * one.length), Math.floor(to * one.length)].toSorted((a, b) => a - b)
    const [start = 0, stop = 0] = [from, end]
    switch (kind) {
      case 'flip':
        return one.map((byte, index) => (index === start ? byte ^ bits : byte))
      case 'truncate':
        return one.slice(0, start)
      case 'extend':
        return join(one, more)
      case 'insert':
        return join(one.slice(0, start), more, one.slice(start))
      case 'delete':
        return join(one.slice(0, start), one.slice(stop))
      case 'repeat':
        return join(one.slice(0, stop), one.slice(start))
      case 'splice':
        return join(one.slice(0, start), other.slice(Math.floor(to * other.length)))
      case 'fill':
        return one.map((byte, index) => (start <= index && index < stop ? bits : byte))
    }
  })

export const anyBytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 300 })

/** Valid inputs with up to three changes; never equal to one of them. */
export function changedBytes(...valid: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const anyValid = fc.constantFrom(...valid)
  return fc
    .tuple(anyValid, anyValid, fc.array(anyChange, { minLength: 1, maxLength: 3 }))
    .map(([one, other, changes]) => changes.reduce((bytes, change) => change(bytes, other), one))
    .filter((bytes) => !valid.some((one) => Buffer.compare(one, bytes) === 0))
}

/**
 * Any character but halves of surrogate pairs, for `unit` of a text. What `'binary'` means there, for which fast-check
 * makes a table of all characters: that takes each process two seconds.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - (AFTER_SURROGATES - SURROGATES) })
  .map((at) => String.fromCodePoint(at < SURROGATES ? at : at + AFTER_SURROGATES - SURROGATES), placeOf)

/** Throws for all that is not such a character. */
function placeOf(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined
  if (code === undefined || value !== String.fromCodePoint(code)) throw new Error('not one character')
  if (code < SURROGATES) return code
  if (code < AFTER_SURROGATES) throw new Error('half of a surrogate pair')
  return code - AFTER_SURROGATES + SURROGATES
}

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 100 }),
  fc.string({ unit: anyCharacter, maxLength: 100 }),
  fc.constantFrom('', '\0', '\uFEFF', '\uD800', '__proto__', 'constructor', 'toString', ' ', '\n'),
)

/** Valid texts with up to three changes below unit 256: different, but near their form. */
export function changedTexts(...valid: readonly string[]): fc.Arbitrary<string> {
  const latin = valid.map((text) => Uint8Array.from(Buffer.from(text, 'latin1')))
  const changed = changedBytes(...latin).map((bytes) => Buffer.from(bytes).toString('latin1'))
  return fc
    .oneof(
      changed,
      fc.tuple(changed, anyText).map(([text, more]) => text + more),
    )
    .filter((text) => !valid.includes(text))
}

const anyMember = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'polluted', 'length', '')
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, -1, -0, 0.5, 2 ** 53, 1e308, '', '0', '__proto__', [], {}, { polluted: true }),
)

/** JSON with one to three changes: another value, a member less or more, also an own `__proto__`. */
export function changedJson(...valid: readonly unknown[]): fc.Arbitrary<unknown> {
  const once = (value: fc.Arbitrary<unknown>) => value.chain(changedPlace)
  return fc
    .tuple(fc.constantFrom(...valid), fc.integer({ min: 1, max: 3 }))
    .chain(([value, times]) => Array.from({ length: times }).reduce<fc.Arbitrary<unknown>>(once, fc.constant(value)))
}

function changedPlace(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value))
    return fc.oneof(
      anyValue,
      anyValue.map((added) => [...value, added]),
      ...value.slice(0, 8).map((item, index) => changedPlace(item).map((changed) => value.with(index, changed))),
    )
  if (typeof value === 'string') return fc.oneof(anyValue, anyText, changedTexts(value))
  if (typeof value !== 'object' || value === null) return anyValue
  const entries = Object.entries(value)
  return fc.oneof(
    anyValue,
    // `fromEntries` defines a member, as `JSON.parse` does; an assignment to `__proto__` would set the prototype.
    fc.tuple(anyMember, anyValue).map(([name, added]) => Object.fromEntries([...entries, [name, added]])),
    ...entries.map(([name]) => fc.constant(Object.fromEntries(entries.filter(([one]) => one !== name)))),
    ...entries.map(([name, member]) =>
      changedPlace(member).map((changed) => Object.fromEntries([...entries, [name, changed]])),
    ),
  )
}

/** The result, or undefined for an error that `isDeclared`. Any other error fails the test. */
export async function declared<Result>(
  run: () => Result | Promise<Result>,
  isDeclared: (error: unknown) => boolean,
): Promise<Result | undefined> {
  try {
    return await run()
  } catch (error) {
    if (!isDeclared(error)) throw new Error(`an undeclared error: ${String(error)}`, { cause: error })
    return undefined
  } finally {
    assertClean()
  }
}

const prototypes = [Object.prototype, Array.prototype, Map.prototype, Function.prototype].map(
  (prototype) => [prototype, Reflect.ownKeys(prototype).length] as const,
)

/** No decoder has added to what all objects share. */
function assertClean(): void {
  for (const [prototype, count] of prototypes) assert.equal(Reflect.ownKeys(prototype).length, count)
}

/** The prototypes of everything in a JSON-like result are the ordinary ones. */
export function assertPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  const prototype: unknown = Object.getPrototypeOf(value)
  assert.ok([Object.prototype, Array.prototype, Map.prototype, Set.prototype].some((one) => one === prototype))
  for (const inner of Object.values(value)) assertPlain(inner)
}

/** Bytes that make careless decoders slow: many small values, deep nesting, large claims. */
export const HOSTILE_BYTES: Readonly<Record<string, (size: number) => Uint8Array>> = {
  zeros: (size) => new Uint8Array(size),
  'nested CBOR arrays': (size) => new Uint8Array(size).fill(0x81),
  'nested CBOR maps': (size) => Uint8Array.from({ length: size }, (_, index) => (index % 2 === 0 ? 0xa1 : 0x01)),
  'nested CBOR tags': (size) => new Uint8Array(size).fill(0xc1),
  'a CBOR array of small numbers': (size) => headed(0x9a, size, new Uint8Array(size).fill(1)),
  'a CBOR array that claims more than there is': (size) => headed(0x9a, 0xffff_ffff, new Uint8Array(size).fill(1)),
  'a CBOR map with sorted keys': (size) => sortedMap(Math.floor(size / 4)),
  'a CBOR map with one key again and again': (size) => headed(0xba, Math.floor(size / 2), new Uint8Array(size).fill(1)),
  'a CBOR text': (size) => headed(0x7a, size, new Uint8Array(size).fill(0x61)),
  'CBOR bytes': (size) => headed(0x5a, size, new Uint8Array(size)),
}

function headed(type: number, count: number, rest: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5)
  head.writeUInt8(type)
  head.writeUInt32BE(count, 1)
  return join(head, rest)
}

/** Keys of three bytes, 256 to 65,535, and a value of one. */
function sortedMap(count: number): Uint8Array {
  const pairs = Buffer.alloc(count * 4)
  for (let index = 0; index < count; index++) {
    pairs.writeUInt8(0x19, index * 4)
    pairs.writeUInt16BE(256 + index, index * 4 + 1)
  }
  const head = Buffer.alloc(3)
  head.writeUInt8(0xb9)
  head.writeUInt16BE(count, 1)
  return join(head, pairs)
}
