/** Node compiles schemas, browsers walk them. They must agree, or clients would accept what servers refuse. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import type { Checker } from './checker.ts'
import { createChecker as createCompiled } from './checkerCompiled.ts'
import { createChecker as createWalking } from './checkerWalking.ts'
import { EMAIL_PATTERN } from './email.ts'
import { type Operation, operations } from './operations.ts'
import { parse } from './parse.ts'
import { EVENTS } from './schemas/sync.ts'

/** The parts of a schema from `schemas/shape.ts`. */
interface Shape {
  readonly $id?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly minItems?: number
  readonly maxItems?: number
  readonly enum?: readonly (string | null)[]
  readonly pattern?: string
  readonly format?: string
  readonly contentEncoding?: string
  readonly description?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** The schemas of bodies, answers and events by name, each with the schemas inside it. */
function schemasInUse(): ReadonlyMap<string, TSchema> {
  const rows: readonly Operation[] = Object.values(operations)
  const wires = rows.flatMap(({ body, answers }) => [body, ...Object.values(answers).map((answer) => answer.body)])
  const found = [...wires.map(schemaIn), ...Object.values(EVENTS)].filter((schema) => schema !== undefined)
  return new Map(found.flatMap((schema) => (named(schema) === undefined ? [] : [[named(schema) ?? '', schema]])))
}

function schemaIn(wire: object | string | undefined): TSchema | undefined {
  if (typeof wire !== 'object') return undefined
  return 'schema' in wire ? (wire.schema as TSchema) : wire
}

function named(schema: TSchema): string | undefined {
  const { $id, type } = schema as Shape
  return type === 'object' ? $id : undefined
}

function anyOf(shape: Shape): fc.Arbitrary<unknown> {
  const types = typeof shape.type === 'string' ? [shape.type] : (shape.type ?? [])
  const [type = '', ...others] = types
  const value = shape.enum === undefined ? typedValue(type, shape) : fc.constantFrom(...shape.enum)
  return others.includes('null') ? fc.oneof({ weight: 4, arbitrary: value }, fc.constant(null)) : value
}

function typedValue(type: string, shape: Shape): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return objectOf(shape)
    case 'array':
      return fc.array(anyOf(shape.items ?? {}), {
        minLength: shape.minItems ?? 0,
        maxLength: (shape.minItems ?? 0) + 2,
      })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: shape.minimum ?? 0, max: shape.maximum ?? 10 })
    case 'string':
      return textOf(shape)
    default:
      return fc.jsonValue()
  }
}

function objectOf({ properties = {}, required = [] }: Shape): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, shape]) => [name, anyOf(shape)] as const)
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] })
}

function textOf(shape: Shape): fc.Arbitrary<string> {
  if (shape.contentEncoding === 'base64') {
    const [least = 0] = (/Base64 of (\d+)/.exec(shape.description ?? '') ?? []).slice(1).map(Number)
    return fc.nat(255).map((byte) => Buffer.alloc(least, byte).toString('base64'))
  }
  if (shape.format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString())
  if (shape.format === 'date') return fc.constantFrom('2026-01-31', '2028-02-29')
  // fast-check needs minutes to make texts for this pattern.
  if (shape.pattern === EMAIL_PATTERN) return fc.emailAddress()
  if (shape.pattern !== undefined) return textMatching(shape.pattern)
  return fc.string({
    minLength: shape.minLength ?? 0,
    maxLength: Math.min(shape.maxLength ?? 8, (shape.minLength ?? 0) + 8),
  })
}

/** Once for each pattern: fast-check takes longer to prepare such texts than to make them. */
const matching = new Map<string, fc.Arbitrary<string>>()
function textMatching(pattern: string): fc.Arbitrary<string> {
  const made = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern), { size: 'small' })
  matching.set(pattern, made)
  return made
}

/** Changes one place of a value: another value, one member less, or one more. */
function mutationOf(value: unknown): fc.Arbitrary<unknown> {
  const other = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('', -1, 0.5, 2 ** 53, null, '2026-02-30', 'ÿ', 'AA=A', []),
  )
  if (Array.isArray(value))
    return fc.oneof(
      other,
      other.map((added) => [...value, added]),
      ...value.map((item, index) => mutationOf(item).map((changed) => value.with(index, changed))),
    )
  if (typeof value !== 'object' || value === null) return other
  const entries = Object.entries(value)
  return fc.oneof(
    other,
    fc
      .tuple(fc.constantFrom('toString', '__proto__', 'constructor', 'unknown', ''), other)
      .map(([name, added]) => Object.fromEntries([...entries, [name, added]])),
    ...entries.map(([name]) => fc.constant(Object.fromEntries(entries.filter(([one]) => one !== name)))),
    ...entries.map(([name, member]) => mutationOf(member).map((changed) => ({ ...value, [name]: changed }))),
  )
}

const errorsOf = (checker: Checker, value: unknown) =>
  checker
    .Errors(value)
    .map(({ keyword, instancePath, params, message }) => ({ keyword, instancePath, params, message }))

describe('the two checkers', () => {
  const schemas = schemasInUse()

  it('are compared on all shapes of the table', () => {
    assert.ok(schemas.size > 40, String(schemas.size))
    for (const name of [
      'StorageVerifyResponse',
      'AssetReceiptsResponse',
      'AttestationKeysResponse',
      'QuotaChangedEvent',
    ])
      assert.ok(schemas.has(name), name)
  })

  for (const [name, schema] of schemas)
    it(`agree on ${name}, on valid and invalid values`, () => {
      const compiled = createCompiled(schema)
      const walking = createWalking(schema)
      const assertSame = (value: unknown) => {
        const isRight = compiled.Check(value)
        assert.equal(walking.Check(value), isRight)
        assert.deepEqual(errorsOf(walking, value), errorsOf(compiled, value))
        return isRight
      }
      let [right, wrong] = [0, 0]
      const pairs = anyOf(schema as Shape).chain((value) => fc.tuple(fc.constant(value), mutationOf(value)))
      fc.assert(
        fc.property(pairs, ([value, mutated]) => {
          assert.ok(assertSame(value), JSON.stringify(parse(schema, value).fault))
          right++
          if (!assertSame(mutated)) wrong++
        }),
        { numRuns: 12 },
      )
      assert.ok(right > 0 && wrong > 0, 'a value of each kind was met')
    })
})
