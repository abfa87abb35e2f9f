/**
 * The server's own /openapi.json, read over HTTP: its operations, the statuses that each declares, and the schema of
 * every body. The suite compares answers with this document and with the specification, never with the server's source.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const

/** One operation as the document declares it. */
export interface DeclaredOperation {
  /** Upper case. */
  readonly method: string
  /** With its parameters in braces, relative to the base URL. */
  readonly path: string
  /** `POST /d/{opaque_id}`: how messages name it. */
  readonly name: string
  readonly statuses: readonly number[]
  readonly bearer: boolean
  /** Media type of the request body, if it takes one. */
  readonly bodyType: string | undefined
  /** The required members of its JSON body. */
  readonly required: readonly string[]
  /** Its body has a proof in place of a secret. */
  readonly proves: boolean
  readonly description: string
}

export interface ServerDocument {
  readonly openapi: string
  readonly operations: readonly DeclaredOperation[]
  /** Every problem code, as CodedProblem lists them. */
  readonly codes: readonly string[]
  /** The operation of a request; undefined for an unknown path, or a method that the path does not have. */
  find(method: string, path: string): DeclaredOperation | undefined
  /** Methods of the path that a request names; empty for an unknown path. */
  methodsOf(path: string): readonly string[]
  /** Media types that the operation declares for a status; empty when the answer has no body. */
  mediaTypes(operation: DeclaredOperation, status: number): readonly string[]
  /** Header names that the operation declares for a status. */
  headers(operation: DeclaredOperation, status: number): readonly string[]
  /** Errors of `value` against the declared schema, empty when it fits. Throws when no schema is declared. */
  errors(
    operation: DeclaredOperation,
    answer: { readonly status: number; readonly mediaType: string },
    value: unknown,
  ): readonly string[]
  /** Errors of `value` against a schema under components. */
  errorsOfComponent(name: string, value: unknown): readonly string[]
}

type Json = Readonly<Record<string, unknown>>

/** By their text. Compiling its schemas takes longer than the tests of most files, so servers with one share them. */
const documents = new Map<string, ServerDocument>()

/** Throws when the text is not an OpenAPI document (specification, Versioning, 6). */
export function readDocument(text: string): ServerDocument {
  const { servers: _, ...root } = record(JSON.parse(text))
  const key = JSON.stringify(root)
  const document = documents.get(key) ?? documentOf(root)
  documents.set(key, document)
  return document
}

function documentOf(root: Json): ServerDocument {
  const operations = Object.entries(record(root.paths)).flatMap(([path, item]) =>
    operationsOf(root, path, record(item)),
  )
  const schemas = schemaReader(root)
  const responseOf = (operation: DeclaredOperation, status: number) => {
    const item = record(record(root.paths)[operation.path])
    const place = ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(status)]
    return resolve(root, record(record(record(item[operation.method.toLowerCase()]).responses)[String(status)]), place)
  }
  const templates = operations.map((operation) => ({ operation, segments: operation.path.split('/') }))
  /** A fixed path is not an id of another one (OpenAPI, Path Templating Matching). */
  const at = (path: string): readonly DeclaredOperation[] => {
    const given = path.split('/')
    const matching = templates.filter(({ segments }) => matches(segments, given)).map(({ operation }) => operation)
    const fixed = matching.filter((operation) => operation.path === path)
    return fixed.length > 0 ? fixed : matching
  }
  return {
    openapi: String(root.openapi),
    operations,
    codes: codesOf(root),
    find: (method, path) => at(path).find((operation) => operation.method === method),
    methodsOf: (path) => at(path).map(({ method }) => method),
    mediaTypes: (operation, status) => Object.keys(record(responseOf(operation, status).value.content ?? {})),
    headers: (operation, status) => Object.keys(record(responseOf(operation, status).value.headers ?? {})),
    errors: (operation, answer, value) =>
      schemas.errorsAt([...responseOf(operation, answer.status).place, 'content', answer.mediaType, 'schema'], value),
    errorsOfComponent: (name, value) => schemas.errorsAt(['components', 'schemas', name], value),
  }
}

function operationsOf(root: Json, path: string, item: Json): DeclaredOperation[] {
  return METHODS.filter((method) => method in item).map((method) => {
    const operation = record(item[method])
    const body =
      operation.requestBody === undefined ? undefined : resolve(root, record(operation.requestBody), []).value
    const bodyType = body === undefined ? undefined : Object.keys(record(body.content))[0]
    const required = requiredOf(root, body, bodyType)
    const security = operation.security ?? root.security ?? []
    if (!Array.isArray(security)) throw new TypeError(`security of ${method} ${path} is not a list`)
    return {
      method: method.toUpperCase(),
      path,
      name: `${method.toUpperCase()} ${path}`,
      statuses: Object.keys(record(operation.responses)).map(Number),
      bearer: security.some((requirement) => Object.keys(record(requirement)).length > 0),
      bodyType,
      required,
      proves: required.includes('proof'),
      description: String(operation.description ?? ''),
    }
  })
}

function requiredOf(root: Json, body: Json | undefined, bodyType: string | undefined): readonly string[] {
  if (body === undefined || bodyType !== 'application/json') return []
  const { required = [] } = resolve(root, record(record(record(body.content)[bodyType]).schema), []).value
  if (!Array.isArray(required)) throw new TypeError('required is not a list')
  return required.map(String)
}

function codesOf(root: Json): readonly string[] {
  const schemas = record(record(root.components).schemas)
  const { enum: codes } = record(record(record(schemas.CodedProblem).properties).code)
  if (!Array.isArray(codes)) throw new TypeError('CodedProblem does not list its codes')
  return codes.map(String)
}

function matches(template: readonly string[], given: readonly string[]): boolean {
  return (
    template.length === given.length &&
    template.every((segment, index) => (segment.startsWith('{') ? given[index] !== '' : segment === given[index]))
  )
}

/** Follows a local `$ref`. Returns the value and its path in the document. */
function resolve(root: Json, value: Json, place: readonly string[]): { value: Json; place: readonly string[] } {
  if (typeof value.$ref !== 'string') return { value, place }
  const target = value.$ref.replace(/^#\//, '').split('/').map(unescapePointer)
  const found = at(root, target)
  return resolve(root, record(found), target)
}

const unescapePointer = (key: string) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')

/** Bodies unchanged: nothing stripped, coerced or filled in. Throws for a schema beyond plain JSON Schema. */
function schemaReader(root: Json) {
  // Compiles each schema once, instead of into every schema that refers to it.
  const options = { strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true, inlineRefs: false }
  const ajv = new Ajv2020(options)
  addFormats.default(ajv)
  // The document is not a schema, so its components become the definitions of one.
  const components = record(record(root.components).schemas)
  ajv.addSchema({ $id: 'components', $defs: Object.fromEntries(Object.entries(components).map(withReferences)) })
  const compiled = new Map<string, ValidateFunction>()
  return {
    errorsAt(place: readonly string[], value: unknown): readonly string[] {
      const name = place.join('\n')
      const validate = compiled.get(name) ?? ajv.compile(record(withReferences(['', at(root, place)])[1]))
      compiled.set(name, validate)
      if (validate(value)) return []
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
    },
  }
}

const at = (root: Json, place: readonly string[]) => place.reduce<unknown>((node, key) => record(node)[key], root)

/** The same schema, with references to the definitions instead of the document. */
function withReferences([name, schema]: readonly [string, unknown]): readonly [string, unknown] {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"components#/$defs/')
  const moved: unknown = JSON.parse(text)
  return [name, moved]
}

function record(value: unknown): Json {
  if (!isRecord(value)) throw new TypeError('an object was expected')
  return value
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
