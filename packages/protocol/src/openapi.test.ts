import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openapiDocument } from './openapi.ts'
import { type Operation, operations, problemsOf, statusOf } from './operations.ts'

interface Node {
  readonly [name: string]: Node
}

const document = openapiDocument('1.2.3') as unknown as Node & { readonly openapi: string }
const rows = Object.entries<Operation>(operations)
const text = JSON.stringify(document)

const at = (...names: string[]): Node | undefined =>
  names.reduce<Node | undefined>((node, name) => node?.[name], document)

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
    for (const kind of ['schemas', 'headers'])
      for (const name of Object.keys(at('components', kind) ?? {}))
        assert.ok(references.has(`components/${kind}/${name}`), name)
  })

  it('gives no body to an answer of HEAD, nor to a plain 413', () => {
    for (const [, row] of rows) {
      const operation = at('paths', row.path, row.method.toLowerCase())
      const own = problemsOf(row).filter((code) => statusOf(row, code) === 413)
      assert.equal(operation?.responses?.['413']?.content === undefined, own.length === 1 || row.method === 'HEAD')
      if (row.method !== 'HEAD') continue
      for (const response of Object.values(operation?.responses ?? {})) assert.equal(response.content, undefined)
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
        .filter((parameter) => String(parameter.in) === 'path')
        .map((parameter) => `{${parameter.name}}`)
      assert.deepEqual(inPath, row.path.match(/\{\w+\}/g) ?? [], name)
    }
  })

  it('contains nothing of how the schemas are checked', () => {
    assert.ok(!text.includes('"~') && !text.includes('"$id"'))
  })

  it('is the same each time it is made', () => {
    assert.equal(JSON.stringify(openapiDocument('1.2.3')), text)
  })
})
