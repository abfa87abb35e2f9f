/**
 * A peer for sign-ins that does only what no server can leave out: Node's server, one check of what the client sends,
 * one synced row for the session, and one line of the log. It gives every client the same nonce, and looks for no
 * account. The check is one signature, or, as servers that receive a secret, one Argon2id. Prints its port.
 */
import { argon2, createPublicKey, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { proofMessage } from '@blindkeep/protocol/proof'
import { logLines } from './logLines.ts'

interface SignIn {
  readonly proof: { readonly key: string; readonly nonce: string; readonly signature: string }
}

const [database = '', check = ''] = process.argv.slice(2)
const log = logLines()
const NONCE = JSON.stringify({ nonce: randomBytes(56).toString('base64'), expires_at: new Date().toISOString() })
/** As this server had it when it received secrets: 19 MiB and 2 passes, with the least that OWASP asks for. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32, nonce: randomBytes(16) }
const BEFORE_KEY = Buffer.from('302a300506032b6570032100', 'hex')

const sessions = new DatabaseSync(database)
sessions.exec('pragma journal_mode = wal; pragma synchronous = full; create table sessions (id blob primary key, at)')
const insert = sessions.prepare('insert into sessions values (?, ?)')

function isSigned(members: SignIn): boolean {
  const { key, nonce, signature } = members.proof
  const operation = { method: 'POST', path: '/v1/auth/login' }
  const message = proofMessage({ operation, serverId: 'http://bare.example', nonce, members })
  const spki = Buffer.concat([BEFORE_KEY, Buffer.from(key, 'base64')])
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  return verify(null, message, publicKey, Buffer.from(signature, 'base64'))
}

const isHashed = ({ proof }: SignIn): Promise<boolean> =>
  new Promise((resolve, reject) =>
    argon2('argon2id', { ...COST, message: proof.signature }, (error, tag) =>
      error ? reject(error) : resolve(tag.length === COST.tagLength),
    ),
  )

async function signIn(request: IncomingMessage): Promise<string> {
  const members = (await json(request)) as SignIn
  if (!(check === 'argon2' ? await isHashed(members) : isSigned(members))) throw new Error('not signed in')
  const id = randomBytes(32)
  insert.run(id, Date.now())
  return JSON.stringify({ access_token: id.toString('base64') })
}

const server = createServer(async (request, response) => {
  const startedAt = performance.now()
  const text = request.url === '/v1/auth/nonce' ? NONCE : await signIn(request)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text)
  log(request, startedAt)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
