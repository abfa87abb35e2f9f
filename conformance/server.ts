/** The server under test: the one at CONFORMANCE_URL, or one that is started for the test file. */
import { after } from 'node:test'
import { isOnObjectStore, startServed } from '../testing/backend.ts'
import { type Client, createClient } from './client.ts'

const given = process.env.CONFORMANCE_URL

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
  return given === undefined ? ownServer() : createClient(given)
}

type Settings = Readonly<Record<string, string>>

/** A new server with these settings. It stops after the tests of the file. */
export async function ownServer(env: Settings = {}): Promise<Client> {
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

/** The same, never nodes behind a proxy: for each process's own bounds, and HTTP that proxies refuse. */
export async function ownProcess(env: Settings): Promise<Client> {
  return (await operatedServer(env, { isAlone: true })).client
}

/** The same, with its operator's commands. */
export async function operatedServer(env: Settings = {}, { isAlone = false } = {}): Promise<OperatedServer> {
  const { PUBLIC_URL: publicUrl, ...rest } = env
  const server = await startServed({ env: rest, publicUrl, isAlone })
  after(async () => {
    await server.stop()
  })
  return {
    client: await createClient(server.url),
    async operate(...command) {
      const { status, stdout, stderr } = await server.command([...command, '--json'])
      if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`)
      return JSON.parse(stdout)
    },
    async restart(settings) {
      await server.restart(settings)
      return createClient(server.url)
    },
    async move(publicUrl) {
      await server.terminate()
      const settings = { PUBLIC_URL: publicUrl }
      const { status, stderr } = await server.command(['move', '--yes', '--unchecked'], settings)
      if (status !== 0) throw new Error(`move ended with ${status}: ${stderr}`)
      await server.restart(settings)
      return createClient(server.url)
    },
    end: server.terminate,
    log: server.log,
    stored: server.stored,
  }
}
