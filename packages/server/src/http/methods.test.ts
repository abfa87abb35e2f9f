import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { isNegotiatedPath } from '@blindkeep/protocol/window'
import { overHttp } from '../testing/http.ts'
import { inWorld } from '../testing/world.ts'
import { methodsOf } from './paths.ts'

const rows = Object.values<Operation>(operations)
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const IDS: Readonly<Record<string, string>> = {
  opaque_id: '0'.repeat(32),
  code: 'error.request.malformed',
  role: 'original',
}
const idOf = (_: string, name: string) =>
  IDS[name] ?? (name.endsWith('hash') ? '0'.repeat(64) : '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e8f')

describe('the methods of a path', () => {
  it(
    'are those of the table: any other is 405, and Allow names exactly these',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const { authorization } = await signIn()
      for (const path of new Set(rows.map((row) => row.path))) {
        const declared = rows.filter((row) => row.path === path).flatMap(methodsOf)
        for (const method of METHODS.filter((each) => !declared.some((own) => own === each)))
          for (const headers of [{}, { authorization }]) {
            const url = path.replaceAll(/\{(\w+)\}/g, idOf)
            const answer = await ask({ method, url, headers })
            assert.equal(answer.statusCode, 405, `${method} ${path}`)
            const { allow } = answer.headers
            assert.deepEqual(String(allow).split(', ').toSorted(), declared.toSorted(), `${method} ${path}`)
          }
        // Without its credential, a declared method is refused for other reasons.
        for (const method of declared) {
          const answer = await ask({ method, url: path.replaceAll(/\{(\w+)\}/g, idOf) })
          assert.notEqual(answer.statusCode, 405, `${method} ${path}`)
        }
      }
    }),
  )

  it(
    'have HEAD wherever GET needs no credential, with the headers of GET',
    inWorld(async (world) => {
      const { ask } = overHttp(world)
      for (const { path } of rows.filter(({ method, auth }) => method === 'GET' && auth === 'none')) {
        const url = path.replaceAll(/\{(\w+)\}/g, idOf)
        const [got, head] = [await ask({ method: 'GET', url }), await ask({ method: 'HEAD', url })]
        assert.equal(head.statusCode, got.statusCode, path)
        assert.equal(head.body, '')
        assert.equal('x-service-protocol-min' in head.headers, isNegotiatedPath(path), path)
        for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
          assert.equal(head.headers[name], got.headers[name], `${path} ${name}`)
      }
    }),
  )
})
