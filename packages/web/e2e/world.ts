/** A real server with the built pages, and people who use it. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach } from 'node:test'
import { registerOwner } from '@blindkeep/client/account'
import type { Environment } from '@blindkeep/client/environment'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { CreatedLink, CreateLink, Owner } from '@blindkeep/client/owner'
import { type Keeper, newKeeper, newOwner, quickStretching } from '../../../testing/people.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../../testing/startServer.ts'
import { startTamperingProxy, type TamperingProxy } from '../../../testing/tamperingProxy.ts'
import { type Line, startLine } from './line.ts'
import { useShared } from './shared.ts'

/** `PAGES_DIR` from the environment of the tests, or the output of `npm run build`. */
export const PAGES_DIRECTORY = resolve(process.env.PAGES_DIR ?? join(import.meta.dirname, '..', 'dist'))

export interface WorldOptions extends ServerOptions {
  /** Links then point at a line that can be slow, cut or down. */
  readonly withLine?: boolean
}

/** An owner with a password, for pages that ask for it. */
export interface Person {
  readonly owner: Owner
  readonly email: string
  readonly password: string
}

export interface World {
  readonly server: RunningServer
  /** The public address, without a slash at the end. */
  readonly url: string
  /** Has an effect only in a world `withLine`. */
  readonly line: Line
  /** A new owner without a password: quick. */
  owner(): Promise<Owner>
  /** A new owner with an album and a registered device. */
  keeper(): Promise<Keeper>
  /** A new owner who can sign in. Takes half a second, because the password is stretched. */
  person(): Promise<Person>
  /** A new link, of a new owner unless `owner` is given. Its `url` is `{url}/u/{opaque_id}#{fragment}`. */
  link(options?: CreateLink & { readonly owner?: Owner }): Promise<CreatedLink>
  stop(): Promise<void>
}

/**
 * Call it at the top of a test file: the server runs as long as the tests of the process, and files with the
 * same options share it. Its line is mended after each test. A test that changes the server itself starts a
 * world of its own.
 */
export function useWorld(options: WorldOptions = {}): World {
  const world = useShared(
    `world with ${JSON.stringify(options)}`,
    () => startWorld(options),
    (started) => started.stop(),
  )
  afterEach(() => world().line.mend())
  return worldOf(world)
}

export interface WorldBehindProxy {
  readonly world: World
  /** Forgets its tamperings after each test. */
  readonly proxy: Pick<TamperingProxy, 'url' | 'seen' | 'tamper'>
}

/** Like `useWorld`, behind a proxy that records, changes and loses requests and answers. `prepare` runs first. */
export function useWorldBehindProxy(prepare: (world: World) => Promise<void>): WorldBehindProxy {
  const started = useShared('world behind a proxy', startWorldBehindProxy, stopWorldBehindProxy, ({ world }) =>
    prepare(world),
  )
  afterEach(() => started().proxy.tamper())
  return {
    world: worldOf(() => started().world),
    proxy: {
      get url() {
        return started().proxy.url
      },
      get seen() {
        return started().proxy.seen
      },
      tamper: (...tamperings) => started().proxy.tamper(...tamperings),
    },
  }
}

interface StartedBehindProxy {
  readonly world: World
  readonly proxy: TamperingProxy
}

async function startWorldBehindProxy(): Promise<StartedBehindProxy> {
  const proxy = await startTamperingProxy()
  const world = await startWorld({ publicUrl: proxy.url })
  proxy.forwardTo(world.server.url)
  return { world, proxy }
}

async function stopWorldBehindProxy({ world, proxy }: StartedBehindProxy): Promise<void> {
  await world.stop()
  await proxy.close()
}

/** The world that runs during the tests, for code that is evaluated before. */
function worldOf(world: () => World): World {
  return {
    get server() {
      return world().server
    },
    get url() {
      return world().url
    },
    get line() {
      return world().line
    },
    owner: () => world().owner(),
    keeper: () => world().keeper(),
    person: () => world().person(),
    link: (wanted) => world().link(wanted),
    stop: () => world().stop(),
  }
}

export async function startWorld({ withLine = false, ...options }: WorldOptions = {}): Promise<World> {
  if (!existsSync(join(PAGES_DIRECTORY, 'index.html')))
    throw new Error(`there are no pages in ${PAGES_DIRECTORY}: \`npm run build\` makes them`)
  const line = await startLine()
  const server = await startServer({
    ...options,
    env: { PAGES_DIR: PAGES_DIRECTORY, ...options.env },
    ...(withLine ? { publicUrl: line.url } : {}),
  })
  line.leadTo(server.url)
  const url = options.publicUrl ?? (withLine ? line.url : server.url)
  // Links and shares have the address of the client that makes them. Owners know the public one, but do not go through
  // a line that is cut or a proxy that tampers.
  const environment: Environment = {
    ...nodeEnvironment,
    ...quickStretching,
    fetch: (input, init) => nodeEnvironment.fetch(String(input).replace(url, server.url), init),
  }
  const owner = () => newOwner(url, environment)
  return {
    server,
    url,
    line,
    owner,
    keeper: () => newKeeper(url, environment),
    async person() {
      const signIn = { email: `${randomUUID()}@example.org`, password: `a sentence of ${randomUUID()}` }
      return { owner: await registerOwner({ baseUrl: url, ...signIn, environment }), ...signIn }
    },
    async link({ owner: given, ...wanted } = {}) {
      return (given ?? (await owner())).createLink(wanted)
    },
    async stop() {
      await line.close()
      await server.stop()
    },
  }
}
