/** Federation tokens (specification, Authentication, 7), verified with the published key and Node's Ed25519. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { until } from '../testing/until.ts'
import { json, type Reply } from './call.ts'
import { expectProtocolWindow, expectRefusedValues } from './creations.ts'
import { expectAnswer } from './expect.ts'
import { partOf, verifyJwt } from './jwt.ts'
import { connect } from './server.ts'
import { asOwner, type Owner, signUp } from './world.ts'

const DAY_SECONDS = 86_400

interface Minted {
  readonly token: string
  readonly jti: string
  readonly expires_at: string
}
interface Entry {
  readonly jti: string
  readonly peer: string
  readonly expires_at: string
}
interface Revocations {
  readonly generated_at: string
  readonly revoked: readonly { readonly jti: string; readonly expires_at: string }[]
}

const server = await connect()
const ahead = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const grant = (over: object = {}) => ({ peer: 'https://peer.example', expires_at: ahead(3600), ...over })

/** An account, and the path to the capabilities of one of its albums. */
async function newIssuer(): Promise<{ owner: Owner; albumId: string; path: string }> {
  const owner = await signUp(server)
  const albumId = randomUUID()
  const album = { method: 'POST', path: '/v1/albums', token: owner.token, json: { album_id: albumId } }
  expectAnswer(await server.send(album), '201')
  return { owner, albumId, path: pathOf(albumId) }
}
const pathOf = (albumId: string) => `/v1/albums/${albumId}/capabilities`

const mint = (
  owner: Owner,
  path: string,
  { body = grant(), headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> => server.send({ method: 'POST', path, token: owner.token, json: body, headers })
const minted = async (owner: Owner, path: string, body?: unknown): Promise<Minted> =>
  json(await mint(owner, path, { body }))
const liveOf = async (owner: Owner, path: string) =>
  json<{ capabilities: readonly Entry[] }>(await asOwner(owner, 'GET', path)).capabilities
const revocations = async () =>
  json<Revocations>(await server.send({ method: 'GET', path: '/.well-known/service/revoked-jti' }))
const revokedAmong = async (jtis: readonly string[]) =>
  (await revocations()).revoked.map(({ jti }) => jti).filter((jti) => jtis.includes(jti))

// Covers: Authentication 7; Devices, albums and capabilities
describe('mint a capability token', () => {
  it('answers 201 with a JWT that the published signing key verifies, for this peer and album', async () => {
    const { owner, albumId, path } = await newIssuer()
    const reply = await mint(owner, path)
    expectAnswer(reply, '201')
    assert.match(String(reply.headers['cache-control']), /\bno-store\b/)
    const { token, jti, expires_at } = json<Minted>(reply)
    const info = json<{ server_id: string; signing_key: string }>(
      await server.send({ method: 'GET', path: '/.well-known/service/server-info' }),
    )
    const { header, claims } = verifyJwt(token, info.signing_key)
    assert.deepEqual(header, { alg: 'EdDSA', typ: 'capability+jwt' })
    const { iat, nbf, exp, ...shared } = claims
    assert.deepEqual(shared, {
      iss: info.server_id,
      sub: 'https://peer.example',
      aud: `urn:service:album:${albumId}`,
      scope: 'read',
      jti,
    })
    assert.equal(exp * 1000, Date.parse(expires_at))
    assert.ok(iat <= nbf && nbf < exp && Math.abs(iat * 1000 - Date.now()) < 60_000)
  })

  it('answers 400 lifetime_too_long to more than 24 hours, and 422 to an end in the past', async () => {
    const { owner, path } = await newIssuer()
    for (const seconds of [DAY_SECONDS + 30, 30 * DAY_SECONDS])
      expectAnswer(
        await mint(owner, path, { body: grant({ expires_at: ahead(seconds) }) }),
        '400 federation.lifetime_too_long',
      )
    for (const expires_at of [ahead(-1), '2000-01-01T00:00:00Z'])
      expectAnswer(await mint(owner, path, { body: grant({ expires_at }) }), '422 request.unprocessable', expires_at)
    const { token } = await minted(owner, path, grant({ expires_at: ahead(DAY_SECONDS - 5) }))
    const { iat, exp } = partOf(token, 1)
    assert.ok(exp - iat <= DAY_SECONDS)
  })

  it('answers 400 to a peer that is not a canonical origin with https, or with http on loopback', async () => {
    const { owner, path } = await newIssuer()
    for (const peer of [
      '',
      'peer.example',
      'http://peer.example',
      'https://peer.example/',
      'https://peer.example/path',
      'https://Peer.example',
      'https://peer.example:443',
      'https://peer.example:0',
      'https://user@peer.example',
      'https://peer.example?',
      'http://localhost.peer.example',
      'http://127.0.0.1:80',
      'ftp://peer.example',
      `https://${'x'.repeat(300)}.example`,
    ])
      expectAnswer(await mint(owner, path, { body: grant({ peer }) }), '400 request.malformed', peer)
    for (const peer of ['https://peer.example:8443', 'http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1'])
      expectAnswer(await mint(owner, path, { body: grant({ peer }) }), '201', peer)
  })

  it('answers 422 to a missing, null or wrongly typed field, and 400 to an unknown one', async () => {
    const { owner, path } = await newIssuer()
    const send = (over: object) => mint(owner, path, { body: grant(over) })
    const wrong = [undefined, null, 1, {}, []]
    await expectRefusedValues(send, { peer: wrong, expires_at: wrong }, '422 request.unprocessable')
    const unknown = { scope: ['read'], jti: ['read'], album_id: ['read'] }
    await expectRefusedValues(send, unknown, '400 request.malformed')
    expectAnswer(
      await mint(owner, path, { body: grant({ expires_at: '2026-13-01T00:00:00Z' }) }),
      '400 request.malformed',
    )
  })

  it('answers 403 to an album that is unknown or another account’s, like list and revocation', async () => {
    const [own, other] = [await newIssuer(), await newIssuer()]
    const { jti } = await minted(own.owner, own.path)
    for (const path of [own.path, pathOf(randomUUID())]) {
      expectAnswer(await mint(other.owner, path), '403 album.not_available')
      expectAnswer(await asOwner(other.owner, 'GET', path), '403 album.not_available')
      expectAnswer(await asOwner(other.owner, 'DELETE', `${path}/${jti}`), '403 album.not_available')
    }
    assert.equal((await liveOf(own.owner, own.path)).length, 1)
  })

  it('answers 426 outside the protocol window, and accepts both of its ends', async () => {
    const { owner, path } = await newIssuer()
    await expectProtocolWindow((headers) => mint(owner, path, { headers }))
  })
})

// Covers: RevokedTokenResponse; State: revoked jti; Devices, albums and capabilities
describe('live and revoked capability tokens', () => {
  it('are listed while live, oldest first, without the token itself', async () => {
    const { owner, path } = await newIssuer()
    assert.deepEqual(await liveOf(owner, path), [])
    const peers = ['https://c.example', 'https://a.example', 'https://b.example']
    const made = []
    for (const peer of peers) made.push({ peer, ...(await minted(owner, path, grant({ peer }))) })
    assert.deepEqual(
      await liveOf(owner, path),
      made.map(({ jti, peer, expires_at }) => ({ jti, peer, expires_at })),
    )
  })

  it('are revoked with the same 204 whether live, revoked, unknown or another album’s, and then not listed', async () => {
    const { owner, path } = await newIssuer()
    const other = await newIssuer()
    const [{ jti }, kept] = [await minted(owner, path), await minted(owner, path)]
    const foreign = await minted(other.owner, other.path)
    for (const name of [jti, jti, randomUUID(), foreign.jti])
      expectAnswer(await asOwner(owner, 'DELETE', `${path}/${name}`), '204')
    assert.deepEqual(
      (await liveOf(owner, path)).map((entry) => entry.jti),
      [kept.jti],
    )
    const known = [jti, kept.jti, foreign.jti]
    await until(
      async () => isDeepStrictEqual(await revokedAmong(known), [jti]),
      'the token, and no other, is on the public list',
    )
  })

  it('stay on the public list until they expire, soonest first', async () => {
    const { owner, path } = await newIssuer()
    const made = []
    for (const seconds of [300, 100, 200, 2])
      made.push(await minted(owner, path, grant({ expires_at: ahead(seconds) })))
    const [late, soon, middle, next] = made.map(({ jti }) => jti)
    const jtis = made.map(({ jti }) => jti)
    for (const jti of jtis.toReversed()) await asOwner(owner, 'DELETE', `${path}/${jti}`)
    // Each node keeps its list for a moment, so the next answer may be an older one again.
    let before = await revocations()
    await until(async () => {
      before = await revocations()
      return before.revoked.some(({ jti }) => jti === late)
    }, 'the last token is on the public list')
    const shown = before.revoked.filter(({ jti }) => jtis.includes(jti))
    const expected = [next, soon, middle, late]
    assert.deepEqual(
      shown.map(({ jti }) => jti),
      before.generated_at < String(made[3]?.expires_at) ? expected : expected.slice(1),
    )
    for (const { jti, expires_at } of shown) assert.equal(expires_at, made.find((each) => each.jti === jti)?.expires_at)
    await until(
      async () => isDeepStrictEqual(await revokedAmong(jtis), [soon, middle, late]),
      'the token leaves the list after it expired, and the others stay',
    )
  })
})
