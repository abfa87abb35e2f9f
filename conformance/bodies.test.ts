/** JSON bodies that are made to cost much. A server refuses them by their form, before the operation sees them. */
import { describe, it } from 'node:test'
import type { Call } from './call.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import { newCredentials, register, signUp } from './world.ts'

const server = await connect()
const MAX_DEPTH = 16
const BODY_BYTES = 1024 * 1024 - 4
const GUEST_BYTES = 64 * 1024 - 4

const withText = (path: string, body: string, token?: string): Call => ({
  method: 'POST',
  path,
  body,
  token,
  headers: { 'content-type': 'application/json' },
})
const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

// Covers: Requests; Errors 4, 400
describe('a heavy JSON body', () => {
  it('is malformed when it is more than 16 deep, whatever else is wrong with it', async () => {
    const member = (inner: string) => `{"email":${inner}}`
    const login = (body: string) => server.send(withText('/v1/auth/login', body))
    expectAnswer(await login(lists(MAX_DEPTH)), '422 request.unprocessable')
    expectAnswer(await login(member(lists(MAX_DEPTH - 1))), '422 request.unprocessable')
    for (const body of [
      lists(MAX_DEPTH + 1),
      objects(MAX_DEPTH + 1),
      member(lists(MAX_DEPTH)),
      member(objects(MAX_DEPTH)),
    ])
      expectAnswer(await login(body), '400 request.malformed', body)
  })

  it('is malformed or too large for every operation when it is a mebibyte of brackets, members or empty lists', async () => {
    const { token } = await signUp(server)
    const bodiesOf = (bytes: number) => [
      '['.repeat(bytes),
      lists(bytes / 2),
      `[${'[],'.repeat(bytes / 4)}[]]`,
      `{${Array.from({ length: bytes / 12 }, (_, index) => `"${index.toString(36)}":1`).join()}}`,
    ]
    const paths = ['/v1/auth/login', '/v1/auth/register', '/v1/storage/verify', '/v1/shares', '/v1/drops/links']
    for (const path of paths) {
      // Without a token, 64 KiB are the most that a server reads.
      const isOfGuest = path.startsWith('/v1/auth/')
      for (const body of bodiesOf(isOfGuest ? GUEST_BYTES : BODY_BYTES)) {
        const reply = await server.send(withText(path, body, isOfGuest ? undefined : token))
        expectAnswer(reply, '400 request.malformed', `${path} ${body.slice(0, 20)}`)
      }
      if (!isOfGuest) continue
      expectAnswer(await server.send(withText(path, lists(BODY_BYTES / 2))), '413', path)
    }
  })

  it('may contain brackets in its strings', async () => {
    const invite = `${'['.repeat(100)}\\"{${'{,'.repeat(50)}`
    expectAnswer(await register(newCredentials(server), { invite }), '201')
  })
})
