import type { TSchema } from 'typebox'
import { DESCRIPTIONS } from './openapi/descriptions.ts'
import { exampleOf, type Json } from './openapi/examples.ts'
import { type OperationObject, type ParameterObject, share } from './openapi/shared.ts'
import {
  type Answer,
  gateProblems,
  HEADER_DOCS,
  HEADER_SHAPES,
  type HeaderName,
  judgesProtocol,
  type Operation,
  operations,
  PATH_PARAMETERS,
  statusOf,
} from './operations.ts'
import { PROBLEMS, type ProblemCode } from './problems.ts'
import { CodedProblem, FileTooLargeProblem } from './schemas/problem.ts'
import { EVENTS } from './schemas/sync.ts'
import { isNegotiatedPath } from './window.ts'

/**
 * The interface as an OpenAPI 3.2 document, generated from the table of operations. `version` is the software's
 * release; `address` that of the server that serves the document, without a slash at its end.
 */
export function openapiDocument(version: string, address = 'http://127.0.0.1:8080'): Json {
  const schemas: Record<string, Json> = {}
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const [name, row] of Object.entries(operations) as [string, Operation][]) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operationObject(name, row, schemas) }
    if (row.answersHead === true)
      paths[row.path] = { ...paths[row.path], head: operationObject(`${name}Head`, headOf(row), schemas) }
  }
  const shared = share({ paths, schemas })
  return {
    openapi: '3.2.0',
    info: {
      title: 'Blindkeep',
      version,
      summary: 'Keeps other people’s files without being able to read them, and signs a receipt for each.',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: address, description: 'The server that serves this document; in the repository, one on this machine.' },
    ],
    tags: TAGS,
    security: [],
    paths: shared.paths,
    components: {
      ...shared.components,
      schemas: Object.fromEntries(Object.entries(shared.components.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      headers: headerComponents(paths),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token from login or refresh.',
        },
      },
    },
  }
}

const INTRODUCTION = [
  'The client seals everything before it sends it. No operation accepts or returns a plaintext file.',
  'Failures are application/problem+json (RFC 9457); programs read `code`. Every answer has X-Request-Id.',
  'Unknown members of a request are refused, never ignored; an optional member may be absent or null.',
  'A JSON body has at most 16 levels, 64 members in an object, and 11,000 values (400). A Host that is not the server’s is 421 for every path. A body that brings less than 1 KiB a second is 408.',
  'Times are RFC 3339, hashes lowercase hex, bytes base64 with padding, sizes bytes.',
].join('\n\n')

const TAGS: Json = [
  {
    name: 'guest',
    description: 'What a guest does with a link. The opaque id in the path is the credential.',
  },
  { name: 'inbox', description: 'Landed drops that wait for their owner.' },
  { name: 'links', description: 'Upload links of an account.' },
  {
    name: 'shares',
    description: 'What an account shows to every client with the address. The opaque id in the path is the credential.',
  },
  { name: 'accounts', description: 'Accounts and sessions.' },
  { name: 'devices', description: 'The devices of an account and their keys, which sign manifests.' },
  { name: 'albums', description: 'Albums of an account. Their names are sealed.' },
  { name: 'channels', description: 'Where the owner hears that files have landed.' },
  { name: 'federation', description: 'Tokens by which a peer may read an album.' },
  { name: 'uploads', description: 'Uploads of blobs for the account’s own assets.' },
  { name: 'assets', description: 'The assets of an account, their receipts, and the verification of their storage.' },
  { name: 'bin', description: 'What was discarded or deleted, as long as that can be undone.' },
  { name: 'sync', description: 'Past changes and live changes.' },
  { name: 'quota', description: 'Storage usage.' },
  { name: 'discovery', description: 'Public facts about the server.' },
  { name: 'service', description: 'The process itself.' },
]

function headOf(row: Operation): Operation {
  return { ...row, method: 'HEAD', summary: `${row.summary}: headers only`, description: 'As GET, without the body.' }
}

function operationObject(name: string, row: Operation, schemas: Record<string, Json>): OperationObject {
  return {
    operationId: name,
    tags: [row.tag],
    summary: row.summary,
    description: row.description,
    security: row.auth === 'bearer' ? [{ bearer: [] }] : [],
    parameters: parametersOf(row),
    ...(row.body && { requestBody: requestBodyOf(row.body, schemas) }),
    responses: responsesOf(row, schemas),
  }
}

function parametersOf(row: Operation): readonly ParameterObject[] {
  const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof PATH_PARAMETERS)
  const inPath = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name].description,
    schema: parameterSchema(PATH_PARAMETERS[name].schema),
  }))
  const inQuery = Object.entries(row.query ?? {}).map(([name, { description, required, schema }]) => ({
    name,
    in: 'query',
    required,
    description,
    schema: parameterSchema(schema),
  }))
  const negotiated = judgesProtocol(row) ? [PROTOCOL_PARAMETER] : []
  const inHeader = (row.requestHeaders ?? []).map((name) => headerParameter(name, row))
  return [...inPath, ...inQuery, ...negotiated, ...inHeader]
}

const PROTOCOL_PARAMETER: ParameterObject = {
  name: 'X-Service-Protocol',
  in: 'header',
  required: false,
  description: 'The protocol version of the client, YYYY-MM-DD. Absent means the newest.',
  schema: { type: 'string', format: 'date' },
}

function headerParameter(name: HeaderName, row: Operation): ParameterObject {
  return {
    name,
    in: 'header',
    required: row.body?.type === 'application/octet-stream',
    description: HEADER_DOCS[name],
    schema: HEADER_SHAPES[name] ?? { type: 'string' },
  }
}

/** Raw bytes. The format is not of JSON Schema, but it is what generators of clients know. */
const BINARY: Json = { type: 'string', format: 'binary' }

function requestBodyOf(body: NonNullable<Operation['body']>, schemas: Record<string, Json>): Json {
  const schema = body.type === 'application/json' ? reference(body.schema, schemas) : BINARY
  return { required: true, content: { [body.type]: { schema } } }
}

function responsesOf(row: Operation, schemas: Record<string, Json>): Record<string, Json> {
  const responses: Record<string, Json> = {}
  for (const [status, answer] of Object.entries(row.answers)) responses[status] = answerObject(row, answer, schemas)
  const codes = [...new Set([...gateProblems(row), ...row.problems])]
  for (const status of new Set(codes.map((code) => statusOf(row, code)))) {
    responses[status] = problemObject(
      row,
      codes.filter((code) => statusOf(row, code) === status),
      schemas,
    )
  }
  return responses
}

const CONTENTS: Readonly<Record<string, Json>> = {
  bytes: { 'application/octet-stream': { schema: BINARY } },
  json: { 'application/json': { schema: { type: 'object' } } },
  html: { 'text/html': { schema: { type: 'string' } } },
}

function answerObject(
  row: Operation,
  { description, body, headers = [] }: Answer,
  schemas: Record<string, Json>,
): Json {
  const content = body === undefined || row.method === 'HEAD' ? undefined : contentOf(body, schemas)
  return { description, headers: headersObject([...headers, ...alwaysHeaders(row)]), ...(content && { content }) }
}

function contentOf(body: NonNullable<Answer['body']>, schemas: Record<string, Json>): Json | undefined {
  if (body === 'events') return { 'text/event-stream': { itemSchema: eventSchema(schemas) } }
  return typeof body === 'string' ? CONTENTS[body] : { 'application/json': { schema: reference(body, schemas) } }
}

/** One event of a stream, in the members that OpenAPI 3.2 gives it (Sequential Media Types). */
function eventSchema(schemas: Record<string, Json>): Json {
  return {
    type: 'object',
    required: ['id', 'event', 'data'],
    properties: {
      id: { type: 'string', description: 'Opaque. Last-Event-ID continues after it.' },
      event: { type: 'string' },
      data: { type: 'string' },
    },
    oneOf: Object.entries(EVENTS).map(([name, schema]) => ({
      required: ['event'],
      properties: {
        event: { const: name },
        data: { contentMediaType: 'application/json', contentSchema: reference(schema, schemas) },
      },
    })),
  }
}

function problemObject(row: Operation, codes: readonly ProblemCode[], schemas: Record<string, Json>): Json {
  const status = statusOf(row, codes[0] ?? 'error.request.failed')
  const bodies = codes.filter((code) => code !== 'error.request.payload_too_large')
  const schema = {
    allOf: [
      reference(status === 413 ? FileTooLargeProblem : CodedProblem, schemas),
      { type: 'object', properties: { code: { enum: bodies } } },
    ],
  }
  const content =
    bodies.length === 0 || row.method === 'HEAD' ? {} : { content: { 'application/problem+json': { schema } } }
  const description = codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join('\n\n')
  return {
    description,
    headers: headersObject([...problemHeaders(row, status, codes), ...alwaysHeaders(row)], SOMETIMES[status]),
    ...content,
  }
}

function problemHeaders(row: Operation, status: number, codes: readonly ProblemCode[]): readonly HeaderName[] {
  return [
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 409 &&
    (row.body?.type === 'application/octet-stream' || codes.includes('error.upload.session_closed'))
      ? (['X-Service-Offset'] as const)
      : []),
    ...(status === 416 ? (['Content-Range'] as const) : []),
    ...(status === 426 ? (['Upgrade'] as const) : []),
    ...(status === 429 || codes.includes('error.request.overloaded') ? (['Retry-After'] as const) : []),
  ]
}

/** Not every code of these statuses has the header. */
const SOMETIMES: Readonly<Record<number, readonly HeaderName[]>> = { 409: ['X-Service-Offset'], 500: ['Retry-After'] }

function alwaysHeaders(row: Operation): readonly HeaderName[] {
  return [
    'X-Request-Id',
    ...(isNegotiatedPath(row.path) ? (['X-Service-Protocol-Min', 'X-Service-Protocol-Max'] as const) : []),
    ...(judgesProtocol(row) ? (['Warning'] as const) : []),
  ]
}

/** Every answer has its headers, but for those that `sometimes` names. */
function headersObject(names: readonly HeaderName[], sometimes: readonly HeaderName[] = []): Json {
  const entries = names.map((name) => [
    name,
    { $ref: `#/components/headers/${sometimes.includes(name) ? sometimesNamed(name) : name}` },
  ])
  return Object.fromEntries(entries)
}

const sometimesNamed = (name: HeaderName) => `${name}.sometimes`

/** The headers of answers. Those of requests are described as parameters. */
function headerComponents(paths: Json): Json {
  const text = JSON.stringify(paths)
  const names = Object.keys(HEADER_DOCS) as HeaderName[]
  const headers = names.flatMap((name) => [
    [name, headerObject(name, name !== 'Warning')] as const,
    [sometimesNamed(name), headerObject(name, false)] as const,
  ])
  return Object.fromEntries(headers.filter(([name]) => text.includes(`"#/components/headers/${name}"`)))
}

function headerObject(name: HeaderName, required: boolean): Json {
  return { description: HEADER_DOCS[name], required, schema: { ...(HEADER_SHAPES[name] ?? { type: 'string' }) } }
}

/** Puts a named schema among the components, once, and returns a reference to it. */
function reference(schema: TSchema, schemas: Record<string, Json>): Json {
  const { $id: name } = schema as { $id?: string }
  if (name === undefined) return withReferences(schema, schemas)
  if (schemas[name] === undefined) {
    schemas[name] = {}
    schemas[name] = namedSchema(name, schema, schemas)
  }
  return { $ref: `#/components/schemas/${name}` }
}

function namedSchema(name: string, schema: TSchema, schemas: Record<string, Json>): Json {
  const description = DESCRIPTIONS[name]
  const members = withReferences(schema, schemas)
  if (description === undefined || typeof members !== 'object' || members === null || Array.isArray(members))
    throw new Error(`descriptions.ts has no ${name}`)
  const example = exampleOf(schema)
  const isShown = !JSON.stringify(members).includes('"$ref"') && JSON.stringify(example).length <= MAX_EXAMPLE_LENGTH
  return { description, ...members, ...(isShown && { examples: [example] }) }
}

/** Longer ones are keys and signatures. Those of a shape with other shapes in it can be made from the others'. */
const MAX_EXAMPLE_LENGTH = 800

function withReferences(value: unknown, schemas: Record<string, Json>): Json {
  if (Array.isArray(value)) return value.map((item) => nested(item, schemas))
  if (typeof value !== 'object' || value === null) return value as Json
  const members = Object.entries(value).filter(([name]) => name !== '$id' && !name.startsWith('~'))
  return Object.fromEntries(members.map(([name, member]) => [name, nested(member, schemas)]))
}

function nested(value: unknown, schemas: Record<string, Json>): Json {
  const isNamed = typeof value === 'object' && value !== null && '$id' in value
  return isNamed ? reference(value as TSchema, schemas) : withReferences(value, schemas)
}

/** Without the schema’s description, which is about a body's member: the parameter has its own. */
function parameterSchema(schema: TSchema): Json {
  const { description: _, ...rest } = schema as { description?: string }
  return withReferences(rest, {})
}
