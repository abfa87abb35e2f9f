/** Which server the tests speak to: the one that CONFORMANCE_URL names, or one started for the test file. */
import { after } from 'node:test'
import { startServer } from '../testing/startServer.ts'
import { type Client, createClient } from './client.ts'

const given = process.env.CONFORMANCE_URL

/** For the options of tests that need settings of their own: why they do not run against somebody's server. */
export const NEEDS_OWN_SERVER =
  given === undefined || process.env.CONFORMANCE_OWN === '1' ? false : 'needs a server started with settings of its own'

/** The server that most tests share. Called once, at the top of a test file. */
export async function connect(): Promise<Client> {
  return given === undefined ? ownServer() : createClient(given)
}

type Settings = Readonly<Record<string, string>>

/** A fresh server with these settings, stopped after the file's tests. */
export async function ownServer(env: Settings = {}): Promise<Client> {
  return (await operatedServer(env)).client
}

export interface OperatedServer {
  readonly client: Client
  /** Has the operator run a command beside the server; it has to be done. What it says as JSON. */
  operate(...command: readonly string[]): Promise<unknown>
  /** Starts it again with these settings beside those it has; the client of before does not know of it. */
  restart(env: Settings): Promise<Client>
  /** Ends it as an operator does, so that all that it keeps is in its files. */
  end(): Promise<void>
  /** All that it has written so far, output and errors. */
  log(): string
  /** Where it keeps everything but its master secret. */
  readonly dataDir: string
}

/** The same, with its operator at hand: not everything can be brought about by requests alone. */
export async function operatedServer(env: Settings = {}): Promise<OperatedServer> {
  const { PUBLIC_URL: publicUrl, ...rest } = env
  const server = await startServer({ env: rest, ...(publicUrl === undefined ? {} : { publicUrl }) })
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
    async end() {
      await server.terminate()
    },
    log: server.log,
    dataDir: server.dataDir,
  }
}
