import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import {
  gateProblems,
  HEADER_DOCS,
  type Operation,
  operations,
  PATH_PARAMETERS,
  problemsOf,
  statusOf,
} from './operations.ts'
import { PROBLEM_CODES, PROBLEMS, problemType } from './problems.ts'
import { isNegotiatedPath } from './window.ts'

const rows = Object.entries<Operation>(operations)

interface Shape {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[]
  readonly items?: TSchema | readonly TSchema[]
  readonly anyOf?: readonly TSchema[]
}

/** What other people have written, as they wrote it. */
const OF_PEOPLE = [
  'AssetResponse/envelope/client_version',
  'SyncResponse/entries/asset/envelope/client_version',
  'InboxResponse/drops/suggested_filename',
  'BinResponse/entries/drop/suggested_filename',
  'BinResponse/entries/asset/envelope/client_version',
]

/** The codes of the router, before any row is known. */
const OF_THE_ROUTER = [
  'error.request.not_found',
  'error.request.method_not_allowed',
  'error.request.misdirected',
  'error.server.moved',
]
/** Of the transport: a request that did not arrive reached no operation. */
const OF_THE_TRANSPORT = ['error.request.too_slow']

const schemasOf = (row: Operation): readonly TSchema[] => [
  ...(row.body?.type === 'application/json' ? [row.body.schema] : []),
  ...Object.values(row.answers).flatMap(({ body }) => (typeof body === 'object' ? [body] : [])),
]

describe('the table of operations', () => {
  it('has one row for each method and path, in forms that a router accepts', () => {
    const names = rows.flatMap(([, { method, path, answersHead }]) => [
      `${method} ${path}`,
      ...(answersHead ? [`HEAD ${path}`] : []),
    ])
    assert.equal(new Set(names).size, names.length)
    for (const [, { path }] of rows) assert.match(path, /^(?:\/(?:[a-z0-9.-]+|\{[a-z_]+\}))+$/)
  })

  it('lets no control character into a text of an answer: clients print them', () => {
    const open: string[] = []
    const look = (schema: TSchema, at: string): void => {
      const { type, enum: values, properties, items, anyOf } = schema as Shape
      if (
        type?.includes('string') === true &&
        values === undefined &&
        ['\u001b[31m', '\u009b31m'].some((text) => Check(schema, text))
      )
        open.push(at)
      for (const [name, part] of Object.entries(properties ?? {})) look(part, `${at}/${name}`)
      for (const part of [items ?? [], anyOf ?? []].flat()) look(part, at)
    }
    for (const [, row] of rows)
      for (const { body } of Object.values(row.answers))
        if (typeof body === 'object') look(body, String(Reflect.get(body, '$id')))
    assert.deepEqual([...new Set(open)], OF_PEOPLE)
  })

  it('describes exactly the parameters of its paths', () => {
    const used = new Set(rows.flatMap(([, { path }]) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)))
    assert.deepEqual([...used].toSorted(), Object.keys(PATH_PARAMETERS).toSorted())
  })

  it('declares every code of the catalog somewhere, and no other code', () => {
    const declared = new Set<string>([
      ...OF_THE_ROUTER,
      ...OF_THE_TRANSPORT,
      ...rows.flatMap(([, row]) => problemsOf(row)),
    ])
    assert.deepEqual([...declared].toSorted(), PROBLEM_CODES.toSorted())
  })

  it('states for every operation of an account whether it writes: POSTs that a suspended account may send are listed here', () => {
    const ofAccount = rows.filter(([, { auth }]) => auth === 'bearer')
    const readOrFreed = ofAccount.filter(
      ([, { method, writes }]) => !['GET', 'HEAD'].includes(method) && writes !== true,
    )
    const posted = readOrFreed.filter(([, { method }]) => method !== 'DELETE').map(([name]) => name)
    assert.deepEqual(posted.toSorted(), ['bindSession', 'logout', 'verifyStorage'])
    const writing = ofAccount.filter(([, { writes }]) => writes === true).map(([, { method }]) => method)
    assert.deepEqual([...new Set(writing)].toSorted(), ['PATCH', 'POST'])
    for (const [name, { auth, creates, writes }] of rows)
      assert.ok(creates !== true || (writes === true) === (auth === 'bearer'), name)
  })

  it('does not repeat the codes of the gates in a row, nor any code', () => {
    for (const [name, row] of rows) {
      assert.equal(new Set(row.problems).size, row.problems.length, name)
      // For a missing query parameter the operation itself answers 422.
      const repeated = row.problems.filter((code) => gateProblems(row).includes(code))
      assert.deepEqual(repeated, [], name)
    }
  })

  it('never uses a status both as success and as problem, except in a probe', () => {
    for (const [name, row] of rows) {
      const problems = new Set(problemsOf(row).map((code) => statusOf(row, code)))
      for (const status of Object.keys(row.answers).map(Number)) assert.ok(!problems.has(status), `${name} ${status}`)
    }
  })

  it('closes every shape: unknown members are refused, and never sent', () => {
    const seen = new Set<unknown>()
    const check = (schema: unknown, where: string): void => {
      if (typeof schema !== 'object' || schema === null || seen.has(schema)) return
      seen.add(schema)
      const { type, properties, additionalProperties } = schema as {
        type?: unknown
        properties?: object
        additionalProperties?: unknown
      }
      if (type === 'object' || properties !== undefined) assert.equal(additionalProperties, false, where)
      for (const [name, member] of Object.entries(schema)) check(member, `${where}/${name}`)
    }
    for (const [name, row] of rows) for (const schema of schemasOf(row)) check(schema, name)
    assert.ok(seen.size > 100)
  })

  it('names each shape, and gives no two the same name', () => {
    const named = new Map<string, TSchema>()
    for (const [, row] of rows) {
      for (const schema of schemasOf(row)) {
        const { $id } = schema as { $id?: string }
        assert.ok($id !== undefined)
        assert.ok((named.get($id) ?? schema) === schema, $id)
        named.set($id, schema)
      }
    }
  })

  it('has the members that its kind of operation needs', () => {
    for (const [name, row] of rows) {
      const negotiated = isNegotiatedPath(row.path)
      if (row.auth === 'link') assert.match(row.path, /^\/[ds]\/\{opaque_id\}/, name)
      if (row.auth === 'bearer') assert.ok(row.path.startsWith('/v1/'), name)
      if (row.creates === true) assert.ok(negotiated && row.method === 'POST', name)
      if (row.method === 'GET' || row.method === 'HEAD')
        assert.ok(row.body === undefined && row.writes === undefined, name)
      for (const header of row.requestHeaders ?? []) assert.ok(header in HEADER_DOCS, name)
    }
  })

  it('lets a proof bind all of its request: a flat body of texts and integers, no ids in the path, no query', () => {
    const proving = rows.filter(([, { proves }]) => proves === true)
    assert.ok(proving.length > 0)
    for (const [name, { path, query, body }] of proving) {
      assert.ok(!path.includes('{') && query === undefined, name)
      assert.ok(body?.type === 'application/json', name)
      const { properties: { proof, ...members } = {}, required } = body.schema as Shape
      assert.ok(proof !== undefined && required?.includes('proof'), name)
      for (const [member, schema] of Object.entries(members)) {
        const types = [(schema as Shape).type ?? []].flat()
        assert.match(types.filter((type) => type !== 'null').join(), /^(?:string|integer)$/, `${name}: ${member}`)
      }
    }
  })

  it('has one 404 for everything that a guest must not distinguish', () => {
    for (const [name, row] of rows.filter(([, { auth }]) => auth === 'link')) {
      const hidden = row.problems.filter((code) => statusOf(row, code) === 404)
      assert.equal(hidden.length, 1, name)
    }
  })
})

describe('the catalog of problems', () => {
  it('has a status, a title and help for each code', () => {
    for (const code of PROBLEM_CODES) {
      const { status, title, help } = PROBLEMS[code]
      assert.match(code, /^error\.[a-z]+\.[a-z_]+$/)
      assert.ok(status >= 400 && status < 600, code)
      assert.ok(title.length > 5 && help.length > 10, code)
      assert.ok(!/[<>&]/.test(title + help), `${code} is shown on a page as it is`)
      assert.equal(problemType(code), `/problems/${code}`)
    }
  })
})
