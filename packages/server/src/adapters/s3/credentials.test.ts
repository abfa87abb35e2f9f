import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { S3Server } from '../../testing/s3/server.ts'
import { openDouble } from '../../testing/s3/world.ts'
import { checkStore } from './check.ts'
import { openClient } from './client.ts'
import { type CredentialSources, readCredentials } from './credentials.ts'
import { putKey, sizeOfKey } from './keys.ts'
import { inMemory } from './spool.ts'

const NONE: CredentialSources = { accessKeyId: undefined, secretAccessKey: undefined, file: undefined }
/** Less than what the library renews ahead: it asks again for each call. */
const SHORT_MS = 60_000

/** What an issuer gives: the store accepts only the newest one. */
function issue(s3: S3Server, clock: { now: number }) {
  const credentials = {
    accessKeyId: `key-${randomBytes(4).toString('hex')}`,
    secretAccessKey: `secret-${randomBytes(8).toString('hex')}`,
    sessionToken: `token-${randomBytes(8).toString('hex')}`,
    endsAt: clock.now + SHORT_MS,
  }
  s3.accept(credentials)
  return credentials
}

type Issued = ReturnType<typeof issue>

/** An endpoint on loopback. It answers undefined with 401. */
async function startIssuer(
  t: TestContext,
  answer: (request: IncomingMessage, body: string) => string | undefined,
): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const given = answer(request, body)
    if (given === undefined) response.statusCode = 401
    response.end(given)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}

/** The library reads the environment of the process. None of it is set beside. */
function withEnvironment(t: TestContext, values: Readonly<Record<string, string>>): void {
  const alone = {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/nonexistent',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
  }
  const before = { ...process.env }
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name]
  Object.assign(process.env, alone, values)
  t.after(() => {
    for (const name of Object.keys({ ...alone, ...values })) delete process.env[name]
    Object.assign(process.env, before)
  })
}

async function openWorld(t: TestContext) {
  const clock = { now: Date.now() }
  const { s3, address, close } = await openDouble({ now: () => clock.now })
  t.after(close)
  return { clock, s3, address }
}

const containerAnswer = ({ accessKeyId, secretAccessKey, sessionToken, endsAt }: Issued) =>
  JSON.stringify({
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: new Date(endsAt).toISOString(),
  })

const stsAnswer = ({ accessKeyId, secretAccessKey, sessionToken, endsAt }: Issued) =>
  `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>
  <AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken>
  <Expiration>${new Date(endsAt).toISOString()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`

const ROLE = 'blindkeep-storage'
const ROLES_PATH = '/latest/meta-data/iam/security-credentials/'

/** The metadata service of a machine, version 2: it answers only who has fetched a token by PUT. */
function machineAnswer({ method, url, headers }: IncomingMessage, tokens: Set<string>, give: () => Issued) {
  if (
    method === 'PUT' &&
    url === '/latest/api/token' &&
    headers['x-aws-ec2-metadata-token-ttl-seconds'] !== undefined
  ) {
    const token = randomBytes(8).toString('hex')
    tokens.add(token)
    return token
  }
  if (method !== 'GET' || !tokens.has(String(headers['x-aws-ec2-metadata-token']))) return undefined
  if (url === ROLES_PATH) return `${ROLE}\n`
  return url === `${ROLES_PATH}${ROLE}` ? containerAnswer(give()) : undefined
}

describe('credentials of an object store', () => {
  it('of a container role are renewed before they expire, for puts and for gets', async (t) => {
    const { clock, s3, address } = await openWorld(t)
    const given: Issued[] = []
    const url = await startIssuer(t, () => {
      given.push(issue(s3, clock))
      return containerAnswer(given.at(-1) ?? assert.fail())
    })
    withEnvironment(t, { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role` })
    t.mock.timers.enable({ apis: ['Date'], now: clock.now })
    const client = await openClient({ address, credentials: await readCredentials(NONE) })
    t.after(() => client.close())
    for (const key of ['one', 'two', 'three']) {
      await putKey(client, `${address.prefix}${key}`, inMemory(Buffer.from('bytes')))
      assert.equal(await sizeOfKey(client, `${address.prefix}${key}`, 0), 5)
      // All that were given so far are refused from now on.
      clock.now += SHORT_MS + 1
      t.mock.timers.tick(SHORT_MS + 1)
    }
    assert.ok(given.length >= 3, `${given.length}`)
  })

  it('of a machine’s role are fetched with a token, and renewed before they expire, for puts and for gets', async (t) => {
    const { clock, s3, address } = await openWorld(t)
    const [tokens, given]: [Set<string>, Issued[]] = [new Set(), []]
    const url = await startIssuer(t, (request) =>
      machineAnswer(request, tokens, () => {
        given.push(issue(s3, clock))
        return given.at(-1) ?? assert.fail()
      }),
    )
    withEnvironment(t, { AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: url })
    t.mock.timers.enable({ apis: ['Date'], now: clock.now })
    const client = await openClient({ address, credentials: await readCredentials(NONE) })
    t.after(() => client.close())
    for (const key of ['one', 'two', 'three']) {
      await putKey(client, `${address.prefix}${key}`, inMemory(Buffer.from('bytes')))
      assert.equal(await sizeOfKey(client, `${address.prefix}${key}`, 0), 5)
      clock.now += SHORT_MS + 1
      t.mock.timers.tick(SHORT_MS + 1)
      // A service that is restarted knows no token any more.
      tokens.clear()
    }
    assert.ok(given.length >= 3, `${given.length}`)
  })

  it('come from a token of web identity, exchanged at the endpoint that the operator names', async (t) => {
    const { clock, s3, address } = await openWorld(t)
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-identity-'))
    t.after(() => rm(directory, { recursive: true }))
    const file = join(directory, 'token')
    await writeFile(file, 'a-token-of-the-platform')
    const asked: string[] = []
    const url = await startIssuer(t, (_request, body) => {
      asked.push(body)
      return stsAnswer(issue(s3, clock))
    })
    withEnvironment(t, {
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/blindkeep',
      AWS_ENDPOINT_URL_STS: url,
    })
    const client = await openClient({ address, credentials: await readCredentials(NONE) })
    t.after(() => client.close())
    await putKey(client, `${address.prefix}one`, inMemory(Buffer.from('bytes')))
    assert.match(asked.join(), /Action=AssumeRoleWithWebIdentity.*WebIdentityToken=a-token-of-the-platform/)
  })

  it('are refused from a file that is too large for them, and no more of it is read', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-credentials-'))
    t.after(() => rm(directory, { recursive: true }))
    const large = join(directory, 's3')
    await writeFile(large, '')
    await truncate(large, 3 * 1024 ** 3)
    for (const file of [large, '/dev/zero'])
      await assert.rejects(readCredentials({ ...NONE, file }), /cannot be read: it is too large for them$/)
  })

  it('in a file may be replaced while the server runs', async (t) => {
    const { clock, s3, address } = await openWorld(t)
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-credentials-'))
    t.after(() => rm(directory, { recursive: true }))
    const file = join(directory, 's3')
    const replace = async () => {
      const { accessKeyId, secretAccessKey, sessionToken } = issue(s3, clock)
      await writeFile(
        file,
        `AWS_ACCESS_KEY_ID=${accessKeyId}\nAWS_SECRET_ACCESS_KEY=${secretAccessKey}\nAWS_SESSION_TOKEN=${sessionToken}\n`,
      )
    }
    await replace()
    t.mock.timers.enable({ apis: ['Date'], now: clock.now })
    const client = await openClient({ address, credentials: await readCredentials({ ...NONE, file }) })
    t.after(() => client.close())
    await putKey(client, `${address.prefix}one`, inMemory(Buffer.from('bytes')))
    clock.now += SHORT_MS
    t.mock.timers.tick(SHORT_MS)
    await replace()
    await putKey(client, `${address.prefix}two`, inMemory(Buffer.from('bytes')))
    assert.equal(await sizeOfKey(client, `${address.prefix}two`, 0), 5)
    // A file that is away for a moment ends nothing.
    await rm(file)
    t.mock.timers.tick(40_000)
    assert.equal(await sizeOfKey(client, `${address.prefix}two`, 0), 5)
  })

  it('given in the environment are taken without asking anyone else', async (t) => {
    const { s3, address } = await openWorld(t)
    const asked: string[] = []
    const url = await startIssuer(t, ({ url: path = '' }) => String(asked.push(path)))
    withEnvironment(t, { AWS_CONTAINER_CREDENTIALS_FULL_URI: url, AWS_EC2_METADATA_DISABLED: 'false' })
    const client = await openClient({ address, credentials: await readCredentials({ ...NONE, ...s3.credentials }) })
    t.after(() => client.close())
    await putKey(client, `${address.prefix}one`, inMemory(Buffer.from('bytes')))
    assert.deepEqual(asked, [])
  })

  it('that are nowhere are an error for people; one half of a pair is another', async (t) => {
    const { address } = await openWorld(t)
    withEnvironment(t, {})
    await assert.rejects(openClient({ address, credentials: await readCredentials(NONE) }), {
      message: /^the object store needs credentials: set AWS_ACCESS_KEY_ID .* \(CredentialsProviderError\)\.$/,
    })
    await assert.rejects(readCredentials({ ...NONE, accessKeyId: 'only-one-half' }), {
      message: /^the object store’s credentials are incomplete: /,
    })
  })

  it('that expire serve `store check`, too', async (t) => {
    const { clock, s3, address } = await openWorld(t)
    const url = await startIssuer(t, () => containerAnswer(issue(s3, clock)))
    withEnvironment(t, { AWS_CONTAINER_CREDENTIALS_FULL_URI: url })
    const findings = await checkStore({ address, credentials: NONE, onFinding: () => undefined })
    assert.deepEqual(
      findings.filter(({ outcome }) => outcome === 'wrong'),
      [],
    )
  })
})
