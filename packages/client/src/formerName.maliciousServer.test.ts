/**
 * A server has moved, and another person has its former name: they relay everything to it, with the name kept or in
 * place of it the present one, and say what they like of themselves. Clients reach both names by `fetch` alone.
 */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, afterEach, before, describe, it } from 'node:test'
import { changeBody } from '../../../testing/maliciousServer.ts'
import { moveServer } from '../../../testing/moveServer.ts'
import { custodyOf, quickEnvironment, type SentFile, sendFile } from '../../../testing/people.ts'
import { freePort, type RunningServer, startServer } from '../../../testing/startServer.ts'
import { type Exchanged, startTamperingProxy, type Tampering } from '../../../testing/tamperingProxy.ts'
import { logIn, registerOwner, resumeOwner } from './account.ts'
import { AddressError, AnswerError, ProblemError } from './http/errors.ts'
import { prepareMove } from './move.ts'
import type { Owner } from './owner.ts'
import { logInWithPasskey, PASSKEY_INPUT } from './passkey.ts'
import { type CheckedReceipt, fetchReceipt } from './receipts.ts'
import { newRecoveryWords, recover } from './recovery.ts'
import { hasCode } from './testing/expectations.ts'
import { AuditError } from './verify/audit.ts'

const [OLD, NEW] = ['https://old.example', 'https://new.example']
const PASSWORD = 'one password for everything'
const person = { email: 'ada@example.org', password: PASSWORD }
const relay = await startTamperingProxy()
const environment = {
  ...quickEnvironment,
  fetch: (input: string | URL | Request, init?: RequestInit) =>
    fetch(String(input).replace(OLD, relay.url).replace(NEW, server.url), init),
}

let server: RunningServer
let owner: Owner
let words: string
let passkey: { readonly userHandle: Uint8Array<ArrayBuffer>; readonly output: Uint8Array<ArrayBuffer> }
let link: string
let sent: SentFile
let seen: CheckedReceipt

/** What the relay gives as the Host, and what it changes in every document: first of all its own name. */
interface Relaying {
  readonly host: string
  readonly changes?: (document: { [member: string]: unknown }) => void
  /** In place of the statements. */
  readonly hides?: true
}

const asFormer = (document: { [member: string]: unknown }) =>
  void Object.assign(document, { server_id: OLD, public_url: OLD })

const RELAYS: Readonly<Record<string, Relaying>> = {
  'keeps the name': { host: 'old.example' },
  'gives the present name': { host: 'new.example' },
  'gives the present name, and says that it is the former server': { host: 'new.example', changes: asFormer },
  'says so, and leaves out the statement of the move': {
    host: 'new.example',
    changes: (document) => {
      asFormer(document)
      if (document.moves !== undefined) document.moves = []
    },
  },
  'says so, and has no statements': { host: 'new.example', changes: asFormer, hides: true },
}

function relaying({ host, changes, hides }: Relaying): void {
  const request: Tampering['request'] = (message) => ({ ...message, headers: { ...message.headers, host } })
  const isDocument = ({ path }: Exchanged) => path.startsWith('/.well-known/service/')
  const documents = changes ? [{ matches: isDocument, request, answer: changeBody(changes) }] : []
  const hidden = hides ? [{ matches: ({ path }: Exchanged) => path.endsWith('/moves'), instead: 404 }] : []
  relay.tamper(...hidden, ...documents, { matches: () => true, request })
}

before(async () => {
  server = await startServer({ port: await freePort(), publicUrl: OLD, env: { REGISTRATION: 'open' } })
  relay.forwardTo(server.url)
  relaying({ host: 'old.example' })
  const recovery = newRecoveryWords()
  owner = await registerOwner({ ...person, baseUrl: OLD, environment, recovery })
  words = (await recovery.confirm()).join(' ')
  const { userHandle, add } = await owner.preparePasskey({ password: PASSWORD })
  // A browser evaluates it for whatever page of the host asks: also for those of its next owner.
  passkey = { userHandle, output: new Uint8Array(createHmac('sha256', randomBytes(32)).update(PASSKEY_INPUT).digest()) }
  await add({ credentialId: randomBytes(16), output: passkey.output, name: 'phone' })
  link = (await owner.createLink({})).url
  sent = await sendFile(link, randomBytes(100), {}, environment)
  seen = await fetchReceipt({ custody: custodyOf(sent), environment })
  assert.ok(await logInWithPasskey({ baseUrl: OLD, ...passkey, environment }))
  await moveServer(server, NEW)
})
afterEach(() => relay.tamper())
after(async () => {
  await server.stop()
  await relay.close()
})

/** A client that kept what it had. */
const kept = (baseUrl: string) => {
  const { email, accountKey } = owner
  return resumeOwner({ baseUrl, email, accountKey, tokens: owner.tokens(), environment })
}

/** No session, and nothing that is good for one: it refused itself, or the server did. */
const isRefused = (error: unknown) =>
  error instanceof AddressError || (error instanceof ProblemError && [401, 410].includes(error.status))

for (const [name, as] of Object.entries(RELAYS))
  describe(`the next owner of a former name, who ${name}`, () => {
    it('gets no session with the password, the words or the passkey', async () => {
      relaying(as)
      await assert.rejects(logIn({ ...person, baseUrl: OLD, environment }), isRefused)
      await assert.rejects(
        recover({ ...person, baseUrl: OLD, words, newPassword: 'x y z 1 2 3', environment }),
        isRefused,
      )
      await assert.rejects(logInWithPasskey({ baseUrl: OLD, ...passkey, environment }), isRefused)
      await assert.rejects(registerOwner({ ...person, email: 'eve@example.org', baseUrl: OLD, environment }), isRefused)
    })

    it('gets nothing with the tokens of before', async () => {
      relaying(as)
      await assert.rejects(kept(OLD).inbox(), isRefused)
      const { accessToken, refreshToken } = owner.tokens()
      const asked = (path: string, init: RequestInit) => environment.fetch(`${OLD}${path}`, init)
      const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' }
      assert.ok([401, 410].includes((await asked('/v1/quota', { headers })).status))
      const body = JSON.stringify({ refresh_token: refreshToken })
      assert.ok([401, 410].includes((await asked('/v1/auth/refresh', { method: 'POST', headers, body })).status))
    })

    it('moves no pin: a receipt of the present name is none of the former, whatever documents it shows', async () => {
      relaying(as)
      const again = (file: SentFile) =>
        fetchReceipt({ custody: { ...custodyOf(file), baseUrl: OLD }, pinned: seen.keys, environment })
      const isDoubted = (error: unknown) =>
        [AuditError, AnswerError, AddressError].some((doubt) => error instanceof doubt) ||
        hasCode('error.server.moved')(error)
      const later = await sendFile(link.replace(OLD, NEW), randomBytes(100), {}, environment)
      for (const file of [later, sent]) await assert.rejects(again(file), isDoubted)
    })
  })

describe('after all that, at the present name', () => {
  it('the passkey and the tokens of before are of no use either; the password is', async () => {
    const withPasskey = logInWithPasskey({ baseUrl: NEW, ...passkey, environment })
    await assert.rejects(withPasskey, { name: 'AccountError', reason: 'passkey_refused' })
    await assert.rejects(kept(NEW).inbox(), isRefused)
    const signedIn = await logIn({ ...person, baseUrl: NEW, environment })
    assert.ok(signedIn.owner)
    assert.deepEqual(await signedIn.owner.passkeys(), [])
    assert.equal((await signedIn.owner.inbox()).length, 1 + Object.keys(RELAYS).length)
  })

  it('a client that knows the server follows it, if the former name does not contradict', async () => {
    const follow = () => prepareMove({ from: OLD, to: NEW, pinned: seen.keys, environment })
    for (const as of Object.values(RELAYS).slice(0, 2)) {
      relaying(as)
      assert.equal((await follow()).old.is, 'agrees')
    }
    relay.tamper({ matches: () => true, instead: 404 })
    await assert.rejects(follow(), { reason: 'old_contradicts' })
  })
})
