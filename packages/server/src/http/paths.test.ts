import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { fastifyPath, methodsOf, queryAt, rowsAt } from './paths.ts'

describe('paths', () => {
  it('name their parameters as Fastify does', () => {
    assert.equal(fastifyPath('/d/{opaque_id}/{upload_id}/receipt'), '/d/:opaque_id/:upload_id/receipt')
    assert.equal(fastifyPath('/healthz'), '/healthz')
  })

  it('find the rows that a URL could mean, by its form', () => {
    const methods = (url: string) => rowsAt(url).flatMap(methodsOf).toSorted()
    assert.deepEqual(methods('/d/anything'), ['GET', 'POST'])
    assert.deepEqual(methods('/d/anything?x=/y'), ['GET', 'POST'])
    assert.deepEqual(methods('/d/a/b'), ['DELETE', 'HEAD', 'PATCH'])
    assert.deepEqual(methods('/.well-known/service/server-info'), ['GET', 'HEAD'])
    for (const url of ['', '/', '/d', '/d/', '/d/a/b/', '/d/a/b/c', '/xwell-known/service/server-info', '/D/a'])
      assert.deepEqual(methods(url), [], url)
  })

  it('tell every row of the table from its path alone', () => {
    for (const row of Object.values<Operation>(operations))
      assert.ok(rowsAt(row.path.replaceAll(/\{\w+\}/g, 'x')).includes(row), row.path)
  })

  it('leave what stands behind the first question mark to the query', () => {
    assert.deepEqual(
      [...queryAt('/v1/drops?a=b?c&d=%3D')],
      [
        ['a', 'b?c'],
        ['d', '='],
      ],
    )
    assert.deepEqual([...queryAt('/v1/drops')], [])
    assert.deepEqual([...queryAt('//?x=1')], [['x', '1']])
  })
})
