import type { Static, TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import { createChecker } from '#checker'

/**
 * What is wrong with a JSON value, in the order in which it is told: a member that the schema does not know;
 * one that is missing, null or of the wrong JSON type; a value outside its enum, format, length or range.
 */
export type Fault = {
  readonly kind: 'unknown_member' | 'wrong_type' | 'wrong_value'
  readonly path: string
  readonly detail: string
}

export type Parsed<Value> =
  | { readonly value: Value; readonly fault?: undefined }
  | { readonly fault: Fault; readonly value?: undefined }

/**
 * TypeBox tells the first eight errors when left alone, and a fault that has to be told before all others may come after them.
 * Bounded all the same: a body of a mebibyte may be one list of half a million wrong values.
 */
Settings.Set({ maxErrors: 10_000 })

export interface Checker {
  Check(value: unknown): boolean
  Errors(value: unknown): readonly SchemaError[]
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: unknown
  readonly message: string
}

const compiled = new WeakMap<TSchema, Checker>()

function checkerOf(schema: TSchema): Checker {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = createChecker(schema)
  compiled.set(schema, made)
  return made
}

const KINDS = ['unknown_member', 'wrong_type', 'wrong_value'] as const

/**
 * Checks a JSON value against a schema. Nothing is coerced or dropped, except that an optional member that is null is left out, as null means absent.
 * Faults of value below a member named in `judgedLater` are passed over: its reader judges them.
 */
export function parse<Schema extends TSchema>(
  schema: Schema,
  json: unknown,
  judgedLater: readonly string[] = [],
): Parsed<Static<Schema>> {
  const checker = checkerOf(schema)
  if (!checker.Check(json)) {
    const faults = checker.Errors(json).flatMap(faultsOf)
    const first = KINDS.map((kind) => faults.find((fault) => fault.kind === kind && !isLater(fault, judgedLater))).find(
      (fault) => fault !== undefined,
    )
    if (first !== undefined) return { fault: first }
  }
  return { value: withoutNulls(json) as Static<Schema> }
}

function isLater(fault: Fault, judgedLater: readonly string[]): boolean {
  return fault.kind === 'wrong_value' && judgedLater.some((name) => fault.path === `/${name}`)
}

function faultsOf(error: SchemaError): readonly Fault[] {
  const path = error.instancePath
  switch (error.keyword) {
    case 'boolean':
      return []
    case 'additionalProperties':
      return [
        { kind: 'unknown_member', path, detail: `${path === '' ? 'the body' : path} has a member that is not known` },
      ]
    case 'required': {
      const { requiredProperties } = error.params as { requiredProperties: readonly string[] }
      return requiredProperties.map((name) => ({
        kind: 'wrong_type' as const,
        path: `${path}/${name}`,
        detail: `${path}/${name} is missing`,
      }))
    }
    case 'type':
      return [{ kind: 'wrong_type', path, detail: `${path === '' ? 'the body' : path} ${error.message}` }]
    default:
      return [{ kind: 'wrong_value', path, detail: `${path === '' ? 'the body' : path} ${error.message}` }]
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]))
}
