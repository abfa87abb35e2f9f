import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { methodsOf, queryAt, routerPath, rowsAt } from './paths.ts'

describe('paths', () => {
  it('have their parameters in the router’s form', () => {
    assert.equal(routerPath('/d/{opaque_id}/{upload_id}/receipt'), '/d/:opaque_id/:upload_id/receipt')
    assert.equal(routerPath('/healthz'), '/healthz')
  })

  it('find the rows of a URL by its form', () => {
    const methods = (url: string) => rowsAt(url).flatMap(methodsOf).toSorted()
    assert.deepEqual(methods('/d/anything'), ['GET', 'POST'])
    assert.deepEqual(methods('/d/anything?x=/y'), ['GET', 'POST'])
    assert.deepEqual(methods('/d/a/b'), ['DELETE', 'HEAD', 'PATCH'])
    assert.deepEqual(methods('/.well-known/service/server-info'), ['GET', 'HEAD'])
    for (const url of ['', '/', '/d', '/d/', '/d/a/b/', '/d/a/b/c', '/xwell-known/service/server-info', '/D/a'])
      assert.deepEqual(methods(url), [], url)
  })

  it('identify every row of the table by its path', () => {
    for (const row of Object.values<Operation>(operations))
      assert.ok(rowsAt(row.path.replaceAll(/\{\w+\}/g, 'x')).includes(row), row.path)
  })

  it('end at the first question mark', () => {
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
