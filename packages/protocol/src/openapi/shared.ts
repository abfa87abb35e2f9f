/** Puts what stands several times in the OpenAPI document among its components, once, and a reference in each place. */
import type { Json } from './examples.ts'

type Members = Readonly<Record<string, Json>>
export type Kind = 'schemas' | 'responses' | 'parameters'

export interface OperationObject {
  readonly operationId: string
  readonly parameters: readonly ParameterObject[]
  readonly responses: Members
  readonly [member: string]: Json
}

export interface ParameterObject {
  readonly name: string
  readonly [member: string]: Json
}

type Paths = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>

export interface Places {
  readonly paths: Paths
  readonly schemas: Members
}

/**
 * Returns what stands in the place from now on. `name`: a name for the part, after the operation or shape that has it.
 */
type Visit = (kind: Kind, name: string, part: Json) => Json

export function share(places: Places): { readonly paths: Json; readonly components: Readonly<Record<Kind, Members>> } {
  const uses = new Map<string, number>()
  visitPlaces(places, (kind, _, part) => {
    const text = textOf(kind, part)
    uses.set(text, (uses.get(text) ?? 0) + 1)
    return part
  })
  const names = new Map<string, string>()
  const shared: Record<Kind, Record<string, Json>> = { schemas: {}, responses: {}, parameters: {} }
  const { paths, schemas } = visitPlaces(places, (kind, name, part) => {
    const text = textOf(kind, part)
    if ((uses.get(text) ?? 0) < 2) return part
    const known = names.get(text) ?? name
    names.set(text, known)
    shared[kind][known] = part
    return { $ref: `#/components/${kind}/${known}` }
  })
  return { paths, components: { ...shared, schemas: { ...schemas, ...shared.schemas } } }
}

const textOf = (kind: Kind, part: Json) => `${kind} ${JSON.stringify(part)}`

function visitPlaces({ paths, schemas }: Places, visit: Visit): { readonly paths: Members; readonly schemas: Members } {
  return {
    paths: mapMembers(paths, (methods) => mapMembers(methods, (operation) => visitOperation(operation, visit))),
    schemas: mapMembers(schemas, (shape, name) => visitShape(name, shape, visit)),
  }
}

function visitOperation(operation: OperationObject, visit: Visit): Json {
  const { operationId, parameters, responses } = operation
  return {
    ...operation,
    parameters: parameters.map((parameter) => visit('parameters', `${operationId}.${parameter.name}`, parameter)),
    responses: mapMembers(responses, (response, status) => visit('responses', `${operationId}.${status}`, response)),
  }
}

/**
 * Of a shape's members only texts with a pattern: ids, base64, addresses. Programs look for the others in the shape.
 */
function visitShape(name: string, shape: Json, visit: Visit): Json {
  if (!isObject(shape) || !isObject(shape.properties)) return shape
  const properties = mapMembers(shape.properties, (member, own) =>
    isObject(member) && member.pattern !== undefined ? visit('schemas', `${name}.${own}`, member) : member,
  )
  return { ...shape, properties }
}

function mapMembers<Part>(
  members: Readonly<Record<string, Part>>,
  change: (part: Part, name: string) => Json,
): Record<string, Json> {
  return Object.fromEntries(Object.entries(members).map(([name, part]) => [name, change(part, name)]))
}

function isObject(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
