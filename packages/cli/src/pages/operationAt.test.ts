import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { operationAt } from './operationAt.ts'

const UUID = '0198f0a0-0000-7000-8000-000000000001'
const IDS: Readonly<Record<string, string>> = {
  opaque_id: 'a'.repeat(32),
  hash: 'b'.repeat(64),
  code: 'error.request.malformed',
}
const filled = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => IDS[name] ?? UUID)

describe('an operation that a page asks for', () => {
  it('is each row of the table, at an address that is made from it again', () => {
    for (const [name, row] of Object.entries<Operation>(operations)) {
      const found = operationAt(row.method, filled(row.path))
      assert.equal(found?.name, name)
      assert.equal(found?.path, filled(row.path))
    }
  })

  it('keeps its query, written as the client writes it', () => {
    assert.equal(operationAt('GET', '/v1/sync?limit=5&cursor=a%2Fb%20c')?.path, '/v1/sync?limit=5&cursor=a%2Fb+c')
  })

  it('is nothing else: no other method, spelling, form or query', () => {
    const asset = `/v1/assets/${UUID}`
    for (const [method, target] of [
      ['PUT', '/v1/quota'],
      ['OPTIONS', '/v1/quota'],
      ['GET', '/v1/quota/'],
      ['GET', '//v1/quota'],
      ['GET', '/v1//quota'],
      ['GET', '/V1/quota'],
      ['GET', '/v1/%71uota'],
      ['GET', '/v1/assets/../quota'],
      ['GET', '/v1/assets/%2e%2e/quota'],
      ['GET', '/v1/assets/..%2fquota'],
      ['GET', `${asset}%00`],
      ['GET', `${asset};x`],
      ['GET', `/v1/assets/${UUID.toUpperCase()}`],
      ['GET', 'http://other.example/v1/quota'],
      ['GET', '@other.example/v1/quota'],
      ['GET', '/v1/quota?x=1'],
      ['GET', '/v1/sync?limit=1&limit=2'],
      ['GET', '/v1/sync?__proto__=1'],
      ['GET', `/v1/sync?cursor=${'a'.repeat(5000)}`],
      ['GET', '*'],
      ['GET', ''],
    ] as const)
      assert.equal(operationAt(method, target), undefined, `${method} ${target}`)
  })
})
