import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rotateAttestationKey } from '../domain/keys.ts'
import { rotateSigningKey } from '../domain/signingKey.ts'
import { overHttp, said } from '../testing/http.ts'
import { inWorld, type World } from '../testing/world.ts'

describe('a server whose keys were rotated while it runs', () => {
  const asking = (world: World) => {
    const web = overHttp(world)
    const published = (name: string, ifNoneMatch: string | undefined = undefined) =>
      web.ask({
        url: `/.well-known/service/${name}`,
        headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch },
      })
    return { ...web, published }
  }

  it(
    'publishes the attestation keys anew at once, under another ETag, and its facts and tokens as they were',
    inWorld(async (world) => {
      const { ask, published, signIn } = asking(world)
      const { authorization } = await signIn()
      const [keys, info] = [await published('attestation-keys'), await published('server-info')]
      assert.equal((await published('attestation-keys', String(keys.headers.etag))).statusCode, 304)
      await rotateAttestationKey(world)
      const after = await published('attestation-keys', String(keys.headers.etag))
      assert.deepEqual([after.statusCode, after.json().keys.length], [200, 2])
      assert.notEqual(after.headers.etag, keys.headers.etag)
      assert.equal((await published('server-info', String(info.headers.etag))).statusCode, 304)
      assert.equal(said(await ask({ url: '/v1/quota', headers: { authorization } })), '200')
    }),
  )

  it(
    'publishes another signing key within five seconds, and answers 401 to tokens of before',
    inWorld(async (world) => {
      const { ask, published, signIn } = asking(world)
      const { authorization } = await signIn()
      const info = await published('server-info')
      const quota = async () => said(await ask({ url: '/v1/quota', headers: { authorization } }))
      assert.equal(await quota(), '200')
      await rotateSigningKey(world)
      world.clock.advance(5)
      assert.equal(await quota(), '401 request.unauthenticated')
      const after = await published('server-info', String(info.headers.etag))
      assert.equal(after.statusCode, 200)
      assert.notEqual(after.json().signing_key, info.json().signing_key)
    }),
  )
})
