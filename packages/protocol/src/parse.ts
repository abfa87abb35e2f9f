import type { TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import { createChecker } from '#checker'
import type { Checker, SchemaError } from './checker.ts'
import type { Static } from './static.ts'

/**
 * What is wrong with a JSON value. Of several faults, the first kind in this order is reported: a member that the
 * schema does not have; one that is missing, null or of the wrong JSON type; a value outside its enum, format, length
 * or range.
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
 * By default TypeBox reports eight errors, and the fault to report first may come after them. There is still a bound:
 * a body of one mebibyte may be a list of half a million wrong values.
 */
Settings.Set({ maxErrors: 1_000 })

const compiled = new WeakMap<TSchema, Checker>()

function checkerOf(schema: TSchema): Checker {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const checker = createChecker(schema)
  compiled.set(schema, checker)
  return checker
}

/** As in `JsonBody` (operations/operation.ts). */
interface ParseOptions {
  readonly judgedLater?: readonly string[] | undefined
  readonly nullRemoves?: boolean | undefined
}

const KINDS = ['unknown_member', 'wrong_type', 'wrong_value'] as const

/**
 * Checks a JSON value against a schema. Coerces and drops nothing, except optional members that are null: null means
 * absent, unless `nullRemoves`. Ignores a wrong value of a member in `judgedLater`: a later reader checks it.
 */
export function parse<Schema extends TSchema>(
  schema: Schema,
  json: unknown,
  { judgedLater = [], nullRemoves = false }: ParseOptions = {},
): Parsed<Static<Schema>> {
  const checker = checkerOf(schema)
  if (!checker.Check(json)) {
    const faults = checker.Errors(json).flatMap(faultsOf)
    const first = KINDS.map((kind) => faults.find((fault) => fault.kind === kind && !isLater(fault, judgedLater))).find(
      (fault) => fault !== undefined,
    )
    if (first !== undefined) return { fault: first }
  }
  return { value: (nullRemoves ? json : withoutNulls(json)) as Static<Schema> }
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
      return [{ kind: 'unknown_member', path, detail: `${path === '' ? 'the body' : path} has an unknown member` }]
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
