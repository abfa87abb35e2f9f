/** The server under test: the one at CONFORMANCE_URL, or one that is started for the test file. */
import { after } from 'node:test'
import { isOnObjectStore, type Served, startServed } from '../testing/backend.ts'
import { type Client, createClient } from './client.ts'
import type { ServerDocument } from './document.ts'

const given = process.env.CONFORMANCE_URL
let shared: Promise<Client> | undefined
const running: Served[] = []
const ownServers = new Map<string, Promise<OperatedServer>>()
/** All servers of a run have the same, but for their address. */
let document: ServerDocument | undefined

/** The `skip` option of tests that need settings of their own, which a given server does not have. */
export const NEEDS_OWN_SERVER =
  given === undefined || process.env.CONFORMANCE_OWN === '1' ? false : 'needs a server with settings of its own'

/** The `skip` option of tests that fill the disk which has the server's files. */
export const NEEDS_OWN_DISK = NEEDS_OWN_SERVER || (isOnObjectStore() && 'an object store has no free space to measure')

/** The `skip` option of tests that set the server's clock forward. */
export const NEEDS_OWN_CLOCK =
  NEEDS_OWN_SERVER || (process.env.BLINDKEEP_TEST_POSTGRES !== undefined && 'nodes have the time of their database')

/** The server that most tests share. Call it once, at the top of a test file. */
export async function connect(): Promise<Client> {
  if (given === undefined) return ownServer({})
  shared ??= clientOf(given)
  return shared
}

async function clientOf(base: string): Promise<Client> {
  const client = await createClient(base, document)
  document = client.document
  return client
}

after(() => Promise.all(running.map((server) => server.stop())))

type Settings = Readonly<Record<string, string>>

/** Limits that many tests reach, each with an account or link of its own. */
export const SMALL = {
  BLOB_BYTES_MAX: '1000',
  QUOTA_HARD_BYTES: '1050',
  INBOX_FILES_MAX: '3',
  LINK_SESSIONS_PER_WINDOW: '4',
}
/** The name that its clients see, and what its operator says about it. */
export const NAMED = {
  PUBLIC_URL: 'https://keep.example/below',
  REGISTRATION: 'open',
  FEDERATION_URL: 'https://peers.example/drops',
  RETENTION_MAX_DAYS: '9',
  SITE_NAME: 'Büro דנה',
  SITE_PRIVACY_URL: 'https://a.example/privacy',
}
/** Trusts the test as its proxy. Tests use source addresses of their own. */
export const FEW_TRIES = { TRUST_PROXY: '127.0.0.1', REGISTRATION: 'open', LOGIN_TRIES_PER_WINDOW: '3' }

/** The server with these settings that all tests of this process share. */
export async function ownServer(env: Settings): Promise<Client> {
  return (await operatedServer(env)).client
}

export interface OperatedServer {
  readonly client: Client
  /** Runs an operator's command beside the server. Returns its JSON; throws when it fails. */
  operate(...command: readonly string[]): Promise<unknown>
  /** Restarts the server with these additional settings. Returns a new client; the old one is not valid any more. */
  restart(env: Settings): Promise<Client>
  /** Moves it to this address, which leads here as its present one does. Returns a new client. */
  move(publicUrl: string): Promise<Client>
  /** Stops the server as an operator does. Then all that it keeps is stored. */
  end(): Promise<void>
  /** Its output so far, stdout and stderr. */
  log(): string
  /** All that it has stored, except the master secret. */
  stored(): Promise<readonly Buffer[]>
}

/** The same, with its operator's commands. */
export function operatedServer(env: Settings = {}): Promise<OperatedServer> {
  const key = JSON.stringify(env)
  const server = ownServers.get(key) ?? newServer(env)
  ownServers.set(key, server)
  return server
}

/** A new one, never nodes behind a proxy: for each process's own bounds, and HTTP that proxies refuse. */
export async function ownProcess(env: Settings): Promise<Client> {
  return (await newServer(env, { isAlone: true })).client
}

/** A new one: for tests that need all that it keeps, or that restart or end it. It stops after the tests. */
export async function newServer(env: Settings = {}, { isAlone = false } = {}): Promise<OperatedServer> {
  const { PUBLIC_URL: publicUrl, ...rest } = env
  const server = await startServed({ env: rest, publicUrl, isAlone })
  running.push(server)
  return {
    client: await clientOf(server.url),
    async operate(...command) {
      const { status, stdout, stderr } = await server.command([...command, '--json'])
      if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`)
      return JSON.parse(stdout)
    },
    async restart(settings) {
      await server.restart(settings)
      return clientOf(server.url)
    },
    async move(publicUrl) {
      await server.terminate()
      const settings = { PUBLIC_URL: publicUrl }
      const { status, stderr } = await server.command(['move', '--yes', '--unchecked'], settings)
      if (status !== 0) throw new Error(`move ended with ${status}: ${stderr}`)
      await server.restart(settings)
      return clientOf(server.url)
    },
    end: server.terminate,
    log: server.log,
    stored: server.stored,
  }
}
