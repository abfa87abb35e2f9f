import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rotateAttestationKey } from '../domain/custody/keys.ts'
import { rotateSigningKey } from '../domain/discovery/signingKey.ts'
import { bytes, land, newLink, notRefused } from '../testing/guest.ts'
import { overHttp, said } from '../testing/http.ts'
import { inTwoNodes } from '../testing/twoNodes.ts'
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
    'publishes the new attestation keys within a second under another ETag, and keeps its facts and tokens',
    inWorld(async (world) => {
      const { ask, published, signIn } = asking(world)
      const { authorization } = await signIn()
      const [keys, info] = [await published('attestation-keys'), await published('server-info')]
      assert.equal((await published('attestation-keys', String(keys.headers.etag))).statusCode, 304)
      await rotateAttestationKey(world)
      world.clock.advance(1)
      const after = await published('attestation-keys', String(keys.headers.etag))
      assert.deepEqual([after.statusCode, after.json().keys.length], [200, 2])
      assert.notEqual(after.headers.etag, keys.headers.etag)
      assert.equal((await published('server-info', String(info.headers.etag))).statusCode, 304)
      assert.equal(said(await ask({ url: '/v1/quota', headers: { authorization } })), '200')
    }),
  )

  it(
    'publishes the key of a receipt no later than the receipt',
    inWorld(async (world) => {
      const { published } = asking(world)
      const opaqueId = await newLink(world)
      const ids = async (): Promise<readonly string[]> =>
        (await published('attestation-keys')).json().keys.map((key: { readonly key_id: string }) => key.key_id)
      for (const count of [1, 2, 3]) {
        await ids()
        const uploadId = await land(world, opaqueId, bytes(5))
        const receipt = notRefused(await world.rules.drops.receipt({ opaqueId, uploadId }))
        assert.deepEqual([(await ids()).length, (await ids()).at(-1)], [count, receipt.keyId])
        await rotateAttestationKey(world)
      }
    }),
  )

  it(
    'publishes another signing key within five seconds, and answers 401 to earlier tokens',
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

describe('two nodes on one database', () => {
  it(
    'publish every key before it signs, also the node that did not rotate it, and while the other one signs',
    inTwoNodes(async ({ here, there }) => {
      const [signing, other] = [overHttp(here), overHttp(there)]
      const published = async (name: string) => (await other.ask({ url: `/.well-known/service/${name}` })).json()
      const opaqueId = await newLink(here)
      for (const rotating of [here, there, here]) {
        await published('attestation-keys')
        await published('server-info')
        const rotations = Promise.all([rotateAttestationKey(rotating), rotateSigningKey(rotating)])
        for (const isAfter of [false, true]) {
          if (isAfter) await rotations
          const uploadId = await land(here, opaqueId, bytes(5))
          const { keyId } = notRefused(await here.rules.drops.receipt({ opaqueId, uploadId }))
          const { keys } = await published('attestation-keys')
          assert.ok(keys.some((key: { readonly key_id: string }) => key.key_id === keyId))
        }
        const { authorization } = await signing.signIn()
        assert.equal(said(await other.ask({ url: '/v1/quota', headers: { authorization } })), '200')
        const newest = Buffer.from(await here.keys.tokens.publicKey()).toString('base64')
        assert.equal((await published('server-info')).signing_key, newest)
      }
    }),
  )
})
