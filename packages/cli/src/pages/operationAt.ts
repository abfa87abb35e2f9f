/** Which operation a page asks for. Only rows of the table are passed on, and their address is made from them again. */
import { pathOf } from '@blindkeep/client/call'
import { isObject } from '@blindkeep/protocol/json'
import { type Operation, type OperationName, operations, PATH_PARAMETERS } from '@blindkeep/protocol/operations'

export interface AskedOperation {
  readonly name: OperationName
  readonly row: Operation
  /** Of its path; all valid. */
  readonly parameters: Readonly<Record<string, string>>
  /** Path and query below the server's base URL. */
  readonly path: string
}

interface Segments {
  readonly name: OperationName
  readonly row: Operation
  readonly segments: readonly string[]
}

const ROWS: readonly Segments[] = Object.entries<Operation>(operations).map(([name, row]) => ({
  // Object.entries knows no names of keys.
  name: name as OperationName,
  row,
  segments: row.path.split('/'),
}))

const MAX_TARGET_LENGTH = 4096

/** `target`: as it stands in the request line. Undefined for all but an operation with valid ids. */
export function operationAt(method: string, target: string): AskedOperation | undefined {
  if (target.length > MAX_TARGET_LENGTH) return undefined
  const [path = '', query] = splitAt(target, '?')
  const given = path.split('/')
  const matching = ROWS.flatMap(({ name, row, segments }) => {
    const hasMethod = row.method === method || (row.answersHead === true && method === 'HEAD')
    const parameters = hasMethod ? parametersOf(segments, given) : undefined
    return parameters === undefined ? [] : [{ name, row, parameters }]
  })
  // A fixed path is no id.
  const found = matching.find(({ row }) => row.path === path) ?? matching[0]
  const asked = found && queryOf(found.row, query)
  return found && asked && { ...found, path: pathOf(found.row, found.parameters, asked) }
}

function parametersOf(
  segments: readonly string[],
  given: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (segments.length !== given.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const text = given[index] ?? ''
    const [, parameter] = /^\{([a-z_]+)\}$/.exec(segment) ?? []
    if (parameter === undefined ? segment !== text : !isValid(parameter, text)) return undefined
    if (parameter !== undefined) parameters[parameter] = text
  }
  return parameters
}

/** No id has a character that an address writes in another way. */
function isValid(parameter: string, text: string): boolean {
  const rules: Readonly<Record<string, { parse(text: string): unknown }>> = PATH_PARAMETERS
  return isObject(rules[parameter]) && rules[parameter].parse(text) !== undefined
}

/** Undefined where it has a name that the row does not, or one twice. */
function queryOf(row: Operation, query: string | undefined): Readonly<Record<string, string>> | undefined {
  const given = [...new URLSearchParams(query ?? '')]
  const names = given.map(([name]) => name)
  const isKnown = names.every((name) => Object.hasOwn(row.query ?? {}, name))
  return isKnown && new Set(names).size === names.length ? Object.fromEntries(given) : undefined
}

function splitAt(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
