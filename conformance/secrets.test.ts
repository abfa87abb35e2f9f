/** No secret is in a log, problem, header or file: searched in all that a server wrote of each kind. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { collectSecrets, createSearcher, type Exchange, type Found, formsOf, KINDS, recorded } from './secrets.ts'
import { recordExchanges } from './secretsStory.ts'
import { NEEDS_OWN_SERVER, newServer, type OperatedServer } from './server.ts'

const skip = NEEDS_OWN_SERVER
const exchanges: Exchange[] = []
let server: OperatedServer | undefined
let wanted: readonly Found[] = []
let document = ''
let disk: readonly Buffer[] = []

if (skip === false)
  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-secrets-'))
    const masterSecretFile = join(directory, 'master.secret')
    after(() => rm(directory, { recursive: true, force: true }))
    server = await newServer({
      LOG_LEVEL: 'trace',
      MASTER_SECRET_FILE: masterSecretFile,
      NOTIFY: 'ntfy,webhook,push',
      NOTIFY_NETWORKS: '127.0.0.1',
    })
    const { code } = await inviteOf(server)
    await recordExchanges(recorded(server.client, exchanges), code)
    document = (await server.client.send({ method: 'GET', path: '/openapi.json' })).body.toString()
    // Includes the write-ahead log, and what is written at shutdown.
    const running = await server.stored()
    await server.end()
    disk = [...running, ...(await server.stored())]
    const master: Found = {
      kind: 'secret',
      name: 'master secret',
      value: (await readFile(masterSecretFile, 'latin1')).trim(),
    }
    wanted = [...collectSecrets(exchanges), master]
  })

async function inviteOf({ operate }: OperatedServer): Promise<{ readonly code: string }> {
  const invite: unknown = await operate('account', 'invite')
  assert.ok(isRecord(invite) && typeof invite.code === 'string')
  return { code: invite.code }
}

/** Only names, because a failing test must not print secrets. */
function namesIn(places: readonly (Uint8Array | string)[], kinds: readonly string[]): readonly string[] {
  const searcher = createSearcher(wanted.filter(({ kind }) => kinds.includes(kind)))
  const found = places.flatMap((place) => searcher.search(Buffer.from(place)))
  return [...new Set(found.map(({ kind, name }) => `${kind} ${name}`))]
}

const ALL = ['secret', 'credential', 'sealed', 'private']

// Covers: Secrets
describe('a secret', { skip }, () => {
  it('is not stored in plain form when it grants access', () => {
    assert.ok(disk.length > 0)
    assert.deepEqual(namesIn(disk, ['secret']), [])
  })

  it('is in no line of the log at level trace', () => {
    const log = server?.log() ?? ''
    assert.ok(log.includes('/d/:opaque_id'), 'requests are logged by the pattern of their route')
    assert.deepEqual(namesIn([log], ALL), [])
  })

  it('is in no problem, and in no header of any answer', () => {
    const problems = exchanges.filter(({ reply }) => reply.status >= 400)
    assert.ok(problems.length > 100)
    assert.deepEqual(
      namesIn(
        problems.map(({ reply }) => reply.body),
        ALL,
      ),
      [],
    )
    assert.deepEqual(
      namesIn(
        exchanges.map(({ reply }) => reply.rawHeaders.join('\n')),
        ALL,
      ),
      [],
    )
  })

  it('is not in the OpenAPI document', () => {
    assert.deepEqual(namesIn([document], ALL), [])
  })
})

// Covers: Secrets
describe('the search for secrets', { skip }, () => {
  it('has a class for each member with a text value', () => {
    const shapes: unknown = JSON.parse(document).components.schemas
    const names = new Set(textMembers(shapes, shapes))
    assert.ok(names.size > 50)
    assert.deepEqual(
      [...names].filter((name) => !Object.hasOwn(KINDS, name)),
      [],
      'classify these in secrets.ts',
    )
  })

  it('covers every operation with a granted request', () => {
    const { operations = [], find } = server?.client.document ?? {}
    const granted = exchanges.filter(({ reply }) => reply.status < 300)
    const met = new Set(granted.map(({ call }) => find?.(call.method, call.path.split('?')[0] ?? '')?.name))
    assert.deepEqual(
      operations.map(({ name }) => name).filter((name) => !met.has(name)),
      [],
    )
  })

  it('has values of every kind and name', () => {
    const members = Object.keys(KINDS).filter((name) => KINDS[name] !== 'plain')
    const found = new Set(wanted.map(({ name }) => name))
    assert.deepEqual(
      members.filter((name) => !found.has(name)),
      [],
    )
    for (const name of ['bearer', 'path', 'code', 'secret of the provisioning_uri', 'master secret'])
      assert.ok(found.has(name), name)
  })

  it('finds each value in each form, between other bytes', () => {
    const searcher = createSearcher(wanted)
    for (const found of wanted)
      for (const form of formsOf(found)) {
        const place = Buffer.concat([randomBytes(7), form, randomBytes(3)])
        assert.ok(searcher.search(place).includes(found), `${found.name} as ${form.length} bytes`)
      }
  })

  it('finds values that the files contain in plain form: ids, e-mails, file names and sealed bytes', () => {
    const kept = namesIn(disk, ['credential', 'private', 'sealed'])
    for (const name of ['credential opaque_id', 'private email', 'private suggested_filename', 'sealed salt'])
      assert.ok(kept.includes(name), name)
  })

  it('finds a value that is planted in a file, in the log and in an answer', () => {
    const secret = wanted.find(({ name }) => name === 'refresh_token')
    assert.ok(secret !== undefined)
    const bytes = Buffer.from(secret.value, 'base64url')
    const line = `${server?.log()}{"msg":"failed","error":"${bytes.toString('hex')}"}\n`
    assert.deepEqual(namesIn([line], ALL), ['secret refresh_token'])
    const [file = Buffer.alloc(0), ...files] = disk
    assert.deepEqual(namesIn([...files, Buffer.concat([file, bytes, file])], ['secret']), ['secret refresh_token'])
    const problem = { type: '/problems/x', detail: `no such token: ${secret.value}` }
    assert.deepEqual(namesIn([JSON.stringify(problem)], ALL), ['secret refresh_token'])
  })
})

/** Names of properties that may be a text or a list of texts. What several shapes have stands among `shapes`, once. */
function textMembers(node: unknown, shapes: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((item) => textMembers(item, shapes))
  if (typeof node !== 'object' || node === null) return []
  const properties = 'properties' in node && isRecord(node.properties) ? node.properties : {}
  const texts = Object.entries(properties).filter(([, schema]) => isText(JSON.stringify(referredTo(schema, shapes))))
  const nested = Object.entries(node).flatMap(([name, child]) =>
    name === 'properties' ? Object.values(properties) : [child],
  )
  return [...texts.map(([name]) => name), ...nested.flatMap((child) => textMembers(child, shapes))]
}

function referredTo(schema: unknown, shapes: unknown): unknown {
  const name =
    isRecord(schema) && typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : ''
  return isRecord(shapes) ? (shapes[name] ?? schema) : schema
}

const isText = (schema: string) => /"type":"string"|"(const|enum)"/.test(schema) && !schema.includes('"properties"')
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
