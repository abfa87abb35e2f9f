/** A real server with the built pages, and people who use it. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before } from 'node:test'
import { registerOwner } from '@blindkeep/client/account'
import { nodeEnvironment } from '@blindkeep/client/node'
import type { CreatedLink, CreateLink, Owner } from '@blindkeep/client/owner'
import { type Keeper, newKeeper, newOwner } from '../../../testing/people.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../../testing/startServer.ts'
import { type Line, startLine } from './line.ts'

/** `PAGES_DIR` of whoever runs the tests, or what `npm run build` has built. */
export const PAGES_DIRECTORY = resolve(process.env.PAGES_DIR ?? join(import.meta.dirname, '..', 'dist'))

export interface WorldOptions extends ServerOptions {
  /** Links then have the address of a line, which can be made bad. */
  readonly withLine?: boolean
}

/** Somebody with a password, for pages that ask for it. */
export interface Person {
  readonly owner: Owner
  readonly email: string
  readonly password: string
}

export interface World {
  readonly server: RunningServer
  /** Where people reach it, without a slash at the end. */
  readonly url: string
  /** Untouched unless the world was made `withLine`. */
  readonly line: Line
  /** Somebody new, without a password: quick. */
  owner(): Promise<Owner>
  /** Somebody new with an album and a device that may write. */
  keeper(): Promise<Keeper>
  /** Somebody new who can sign in: takes half a second, as a password is stretched. */
  person(): Promise<Person>
  /** Of somebody new, unless `owner` is given. `url` is `{url}/u/{opaque_id}#{fragment}`. */
  link(options?: CreateLink & { readonly owner?: Owner }): Promise<CreatedLink>
  stop(): Promise<void>
}

/** Called at the top of a test file: the server runs as long as its tests. */
export function useWorld(options: WorldOptions = {}): World {
  let started: World | undefined
  before(async () => {
    started = await startWorld(options)
  })
  after(async () => started?.stop())
  const world = (): World => {
    if (started === undefined) throw new Error('the server runs while tests do')
    return started
  }
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
  return {
    server,
    url,
    line,
    owner: () => newOwner(server.url),
    keeper: () => newKeeper(server.url),
    async person() {
      const signIn = { email: `${randomUUID()}@example.org`, password: `a sentence of ${randomUUID()}` }
      return { owner: await registerOwner({ baseUrl: server.url, ...signIn, environment: nodeEnvironment }), ...signIn }
    },
    async link({ owner, ...wanted } = {}) {
      return (owner ?? (await newOwner(server.url))).createLink(wanted)
    },
    async stop() {
      await line.close()
      await server.stop()
    },
  }
}
