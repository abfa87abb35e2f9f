/** Malformed HTTP: the server refuses it, keeps nothing of it and continues to work. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { newTargets } from './anyRequest.ts'
import { rawStatus, sendRaw } from './rawSocket.ts'
import { connect } from './server.ts'
import { newLink, openSession, type Session, sessionPath, sha256, stateOf } from './world.ts'

const server = await connect()
const HOST = `host: ${new URL(server.base).host}`
const raw = (pieces: readonly string[], finish = false) => sendRaw({ base: server.base, pieces, finish })
const FILE = Buffer.from('three hundred bytes, or so'.padEnd(300, '.'))

function chunkHead(session: Session, extra: readonly string[]): string {
  const lines = [
    'content-type: application/octet-stream',
    'x-service-offset: 0',
    `x-service-checksum: ${sha256(FILE)}`,
    ...extra,
  ]
  return [`PATCH ${sessionPath(session)} HTTP/1.1`, HOST, ...lines, '', ''].join('\r\n')
}

async function expectUntouched(session: Session): Promise<void> {
  const { offset, state } = await stateOf(session)
  assert.deepEqual([offset, state], [0, 'open'])
}

// Covers: Requests
describe('broken HTTP', () => {
  afterEach(async () => {
    assert.equal((await server.send({ method: 'GET', path: '/healthz' })).status, 200)
  })

  it('is refused with 400 and a closed connection', async () => {
    for (const request of [
      'nonsense\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET /v1/version HTTP/1.1\r\n${HOST}\r\nbroken header\r\n\r\n`,
    ])
      assert.equal(rawStatus(await raw([request])), 400, request)
  })

  it('is refused when two headers give two lengths', async () => {
    const session = await openSession(await newLink(server), FILE)
    for (const lengths of [
      ['content-length: 300', 'transfer-encoding: chunked'],
      ['content-length: 300', 'content-length: 10'],
      ['content-length: -1'],
      ['content-length: 3e2'],
    ]) {
      assert.equal(rawStatus(await raw([chunkHead(session, lengths), FILE.toString()])), 400, lengths.join())
      await expectUntouched(session)
    }
  })

  it('is refused when its headers are too large', async () => {
    const { session } = await newTargets(server)
    const status = rawStatus(
      await raw([`GET /d/${session.opaqueId} HTTP/1.1\r\n${HOST}\r\nx-large: ${'x'.repeat(200_000)}\r\n\r\n`]),
    )
    assert.ok(status === 431 || status === 400 || status === 0, String(status))
  })

  it('leaves the session unchanged when a chunked body ends early or is malformed', async () => {
    const session = await openSession(await newLink(server), FILE)
    const head = chunkHead(session, ['transfer-encoding: chunked'])
    const whole = `${FILE.length.toString(16)}\r\n${FILE}\r\n`
    for (const body of [whole, 'zz\r\nabc\r\n', '5\r\nabc\r\n0\r\n\r\n', `${whole}0`]) {
      await raw([head, body], true)
      await expectUntouched(session)
    }
  })

  it('leaves the session unchanged when fewer bytes arrive than announced', async () => {
    const session = await openSession(await newLink(server), FILE)
    await raw([chunkHead(session, ['content-length: 301']), FILE.toString()], true)
    await expectUntouched(session)
  })

  it('cannot hide a second request in a body', async () => {
    const session = await openSession(await newLink(server), FILE)
    const smuggled = `DELETE ${sessionPath(session)} HTTP/1.1\r\n${HOST}\r\n\r\n`
    const request = `POST /v1/auth/kdf HTTP/1.1\r\n${HOST}\r\ncontent-type: text/plain\r\ncontent-length: ${smuggled.length}\r\nconnection: close\r\n\r\n${smuggled}`
    const received = await raw([request])
    assert.equal(received.match(/^HTTP\/1\.1 /gm)?.length, 1)
    await expectUntouched(session)
  })
})
