import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DESCRIPTIONS } from './openapi/descriptions.ts'
import { openapiDocument } from './openapi.ts'
import { openapi31Document } from './openapi31.ts'
import { type Operation, operations, problemsOf, statusOf } from './operations.ts'

interface Node {
  readonly [name: string]: Node
}

const document = openapiDocument('1.2.3') as unknown as Node & { readonly openapi: string }
const rows = Object.entries<Operation>(operations)
const text = JSON.stringify(document)

/** What stands at the place, or what its reference leads to. */
const at = (...names: string[]): Node | undefined =>
  names.reduce<Node | undefined>((node, name) => resolved(node?.[name]), document)

function resolved(node: Node | undefined, root: Node = document): Node | undefined {
  if (node?.$ref === undefined) return node
  return String(node.$ref)
    .slice(2)
    .split('/')
    .reduce<Node | undefined>((found, name) => found?.[name], root)
}

const shapes = () => Object.entries(at('components', 'schemas') ?? {}).filter(([name]) => !name.includes('.'))

describe('the OpenAPI document', () => {
  it('has version 3.2 and the release', () => {
    assert.equal(document.openapi, '3.2.0')
    assert.equal(String(at('info', 'version')), '1.2.3')
  })

  it('has exactly the rows of the table with exactly their statuses', () => {
    let count = 0
    for (const [name, row] of rows) {
      for (const method of [row.method.toLowerCase(), ...(row.answersHead ? ['head'] : [])]) {
        const operation = at('paths', row.path, method)
        count += 1
        assert.equal(String(operation?.operationId), method === row.method.toLowerCase() ? name : `${name}Head`)
        const statuses = new Set([
          ...Object.keys(row.answers),
          ...problemsOf(row).map((code) => String(statusOf(row, code))),
        ])
        assert.deepEqual(Object.keys(operation?.responses ?? {}).toSorted(), [...statuses].toSorted(), name)
      }
    }
    const all = Object.values(at('paths') ?? {}).flatMap((path) => Object.keys(path))
    assert.equal(all.length, count)
  })

  it('has exactly the components that it refers to', () => {
    const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => String(path)))
    for (const path of references) assert.ok(at(...path.split('/')) !== undefined, path)
    for (const kind of ['schemas', 'responses', 'parameters', 'headers'])
      for (const name of Object.keys(at('components', kind) ?? {}))
        assert.ok(references.has(`components/${kind}/${name}`), name)
  })

  it('says each answer, parameter and patterned text once', () => {
    const parts = Object.values(at('paths') ?? {})
      .flatMap((path) => Object.values(path))
      .flatMap(({ parameters = {}, responses = {} }) => [...Object.values(parameters), ...Object.values(responses)])
    const members = shapes().flatMap(([, { properties = {} }]) => Object.values(properties))
    const patterned = members.filter(({ pattern, $ref }) => pattern !== undefined || String($ref).includes('.'))
    const texts = [...parts, ...patterned].map((part) => JSON.stringify(part))
    const repeated = texts.filter((text, index) => texts.indexOf(text) !== index)
    assert.deepEqual(
      repeated.filter((text) => !text.startsWith('{"$ref"')),
      [],
    )
    for (const kind of ['responses', 'parameters'])
      for (const name of Object.keys(at('components', kind) ?? {}))
        assert.ok(repeated.includes(`{"$ref":"#/components/${kind}/${name}"}`), name)
  })

  it('describes a parameter once, where it stands', () => {
    for (const [name, row] of rows) {
      for (const each of Object.values(at('paths', row.path, row.method.toLowerCase())?.parameters ?? {})) {
        const parameter = resolved(each) ?? each
        assert.ok(String(parameter.description).length > 0, name)
        assert.equal(parameter.schema?.description, undefined, `${name} ${parameter.name}`)
      }
    }
  })

  it('gives no body to an answer of HEAD, nor to a plain 413', () => {
    for (const [, row] of rows) {
      const operation = at('paths', row.path, row.method.toLowerCase())
      const own = problemsOf(row).filter((code) => statusOf(row, code) === 413)
      assert.equal(
        resolved(operation?.responses?.['413'])?.content === undefined,
        own.length === 1 || row.method === 'HEAD',
      )
      if (row.method !== 'HEAD') continue
      for (const response of Object.values(operation?.responses ?? {}))
        assert.equal(resolved(response)?.content, undefined)
    }
  })

  it('requires a bearer token exactly where the table does', () => {
    for (const [name, row] of rows) {
      const { security } = at('paths', row.path, row.method.toLowerCase()) ?? {}
      assert.deepEqual(security, row.auth === 'bearer' ? [{ bearer: [] }] : [], name)
    }
  })

  it('describes every parameter of a path', () => {
    for (const [name, row] of rows) {
      const parameters = Object.values(at('paths', row.path, row.method.toLowerCase(), 'parameters') ?? {})
      const inPath = parameters
        .map((parameter) => resolved(parameter))
        .filter((parameter) => String(parameter?.in) === 'path')
        .map((parameter) => `{${parameter?.name}}`)
      assert.deepEqual(inPath, row.path.match(/\{\w+\}/g) ?? [], name)
    }
  })

  it('describes every shape and every member, and has an example of each that has neither other shapes nor keys in it', () => {
    const WITH_KEYS = ['AddDeviceRequest', 'DeviceResponse', 'ManifestEnvelope', 'PublishedKeyResponse']
    const WITH_SEALED_KEYS = ['AssetDropResponse', 'CreateDropRequest', 'InboxEntryResponse']
    for (const [name, schema] of shapes()) {
      assert.ok(String(schema.description ?? '').endsWith('.'), name)
      const hasOthers = /"#\/components\/schemas\/[^".]+"/.test(JSON.stringify(schema))
      const hasKeys = [...WITH_KEYS, ...WITH_SEALED_KEYS].includes(name)
      assert.equal(schema.examples === undefined, hasOthers || hasKeys, name)
      for (const [member, own] of Object.entries(schema.properties ?? {}))
        assert.ok(own.description !== undefined || own.$ref !== undefined, `${name}.${member}`)
    }
  })

  it('has a description for no shape that does not exist', () => {
    const names = shapes().map(([name]) => name)
    assert.deepEqual(Object.keys(DESCRIPTIONS).toSorted(), names.toSorted())
  })

  it('lists the codes of each refusal, but for the one without a body', () => {
    for (const [name, row] of rows) {
      const codes = problemsOf(row).filter((code) => code !== 'error.request.payload_too_large')
      for (const [status, answer] of Object.entries(
        at('paths', row.path, row.method.toLowerCase(), 'responses') ?? {},
      )) {
        const listed =
          resolved(answer)?.content?.['application/problem+json']?.schema?.allOf?.['1']?.properties?.code?.enum
        if (listed === undefined) continue
        const own = codes.filter((code) => String(statusOf(row, code)) === status)
        assert.deepEqual(Object.values(listed).map(String).toSorted(), own.toSorted(), `${name} ${status}`)
      }
    }
  })

  it('gives headers their types, and says which ones every answer has', () => {
    const session = at('paths', '/d/{opaque_id}/{upload_id}', 'head', 'responses', '200', 'headers')
    assert.equal(String(session?.['X-Service-Offset']?.$ref), '#/components/headers/X-Service-Offset')
    const { required, schema } = at('components', 'headers', 'X-Service-Offset') ?? {}
    assert.deepEqual({ required, schema }, { required: true, schema: { type: 'integer', minimum: 0 } })
    assert.equal(Boolean(at('components', 'headers', 'Warning')?.required), false)
    const refused = at('paths', '/d/{opaque_id}/{upload_id}', 'patch', 'responses', '409', 'headers')
    assert.equal(Boolean(resolved(refused?.['X-Service-Offset'])?.required), false)
  })

  it('says of each text in a request which form it has, or that every text will do', () => {
    const FREE = ['content_type', 'cursor', 'Range', 'If-Range', 'If-None-Match', 'Last-Event-ID']
    const formless = new Set<string>()
    const look = (name: string, schema: Node | undefined): void => {
      if (schema?.$ref !== undefined) look(name, resolved(schema))
      const types = [schema?.type].flat().map(String)
      for (const [member, own] of Object.entries(schema?.properties ?? {})) look(member, own)
      if (types.includes('array')) look(name, schema?.items)
      const words = ['pattern', 'enum', 'format', 'minLength', 'const']
      if (types.includes('string') && words.every((word) => schema?.[word] === undefined)) formless.add(name)
    }
    for (const operation of Object.values(at('paths') ?? {}).flatMap((path) => Object.values(path))) {
      for (const parameter of Object.values(operation.parameters ?? {}).map((each) => resolved(each)))
        look(String(parameter?.name), parameter?.schema)
      look('body', operation.requestBody?.content?.['application/json']?.schema)
    }
    assert.deepEqual([...formless].toSorted(), FREE.toSorted())
  })

  it('has a form for readers of 3.1 with the same operations, without words of 3.2 and without dates in headers', () => {
    const older = openapi31Document('1.2.3') as unknown as Node
    assert.equal(String(older.openapi), '3.1.1')
    assert.ok(!JSON.stringify(older).includes('itemSchema'))
    const header = (name: string) => older.components?.headers?.[name]?.schema
    assert.deepEqual(header('X-Service-Protocol-Min'), { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })
    for (const path of Object.values(older.paths ?? {}))
      for (const { parameters = {} } of Object.values(path))
        for (const parameter of Object.values(parameters as Node).map((each) => resolved(each, older)))
          assert.ok(String(parameter?.in) !== 'header' || parameter?.schema?.format === undefined)
    assert.deepEqual(older.components?.schemas, document.components?.schemas)
    assert.deepEqual(Object.keys(older.paths ?? {}), Object.keys(document.paths ?? {}))
  })

  it('names the address of the server that serves it', () => {
    const served = openapiDocument('1.2.3', 'https://keep.example/blind') as unknown as Node
    assert.equal(String(served.servers?.['0']?.url), 'https://keep.example/blind')
  })

  it('contains nothing of how the schemas are checked', () => {
    assert.ok(!text.includes('"~') && !text.includes('"$id"'))
  })

  it('is the same each time it is made', () => {
    assert.equal(JSON.stringify(openapiDocument('1.2.3')), text)
  })
})
