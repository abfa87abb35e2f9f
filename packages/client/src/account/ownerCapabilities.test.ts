/** Capability tokens of a real server, verified as a peer does: only with what the server publishes. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type CapabilityClaims, verifyCapability } from '@blindkeep/protocol/capability'
import { instantOf } from '@blindkeep/protocol/ids'
import { type Keeper, newKeeper } from '../../../../testing/people.ts'
import vectors from '../../../../vectors/capabilities.json' with { type: 'json' }
import { createCalls } from '../http/call.ts'
import { verifiers } from '../seal/signatures.ts'
import { sharedServer } from '../testing/sharedServer.ts'

const peer = 'https://peer.example'
const ahead = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

const { proxy } = await sharedServer()
let keeper: Keeper

before(async () => {
  keeper = await newKeeper(proxy.url)
})

/** A peer's verification of a token, with a revocation list no older than `since`: a new one comes each second. */
async function judged(token: string, since = 0): Promise<CapabilityClaims> {
  const { call } = createCalls({ baseUrl: proxy.url })
  const info = await call('serverInfo')
  let revocations = await call('revokedJti')
  while (Date.parse(revocations.body.generated_at) < since) {
    await wait(20)
    revocations = await call('revokedJti')
  }
  return verifyCapability({
    token,
    issuer: info.body.server_id,
    publicKey: fromBase64(info.body.signing_key),
    peer,
    albumId: keeper.album,
    revocations: revocations.body,
    now: instantOf(Date.now()),
    verify: verifiers.ed25519,
  })
}

describe('a capability token', () => {
  it('is valid by the published key and list until it is revoked', async () => {
    const { owner, album } = keeper
    const minted = await owner.mintCapability({ albumId: album, peer, expiresAt: ahead(3600) })
    const other = await owner.mintCapability({ albumId: album, peer, expiresAt: ahead(60) })
    const claims = await judged(minted.token)
    assert.deepEqual([claims.jti, claims.exp * 1000], [minted.jti, Date.parse(minted.expiresAt)])
    const own = [minted, other].map(({ jti, expiresAt }) => ({ jti, peer, expiresAt }))
    assert.deepEqual(await owner.capabilities(album), own)

    await owner.revokeCapability(album, minted.jti)
    await assert.rejects(judged(minted.token, Date.now()), { name: 'CapabilityError', reason: 'revoked' })
    assert.equal((await judged(other.token)).jti, other.jti)
    assert.deepEqual(await owner.capabilities(album), own.slice(1))
    await owner.revokeCapability(album, minted.jti)
  })

  it('is invalid for another peer, and an access token is not a capability', async () => {
    const { owner, album } = keeper
    const strangers = await owner.mintCapability({
      albumId: album,
      peer: 'https://other.example',
      expiresAt: ahead(60),
    })
    await assert.rejects(judged(strangers.token), { reason: 'peer' })
    await assert.rejects(judged(owner.tokens().accessToken), { reason: 'header' })
  })
})

describe('the capabilities of the vectors', () => {
  it('verify, or fail, with the client’s verifier too', async () => {
    const holds = (token: string) => {
      const [header, claims, signature = ''] = token.split('.')
      const signed = new TextEncoder().encode(`${header}.${claims}`)
      return verifiers.ed25519(fromBase64(vectors.signing_key), signed, Buffer.from(signature, 'base64url'))
    }
    assert.ok(vectors.valid.length > 0)
    for (const { token } of vectors.valid) assert.equal(await holds(token), true)
    const forged = vectors.invalid.filter(({ reason }) => reason === 'signature_invalid')
    assert.equal(forged.length, 2)
    for (const { token } of forged) assert.equal(await holds(token), false)
  })
})
