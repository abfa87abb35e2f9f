/** A loopback proxy before PostgreSQL that fails as networks and failovers do; otherwise passes each byte. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createMessageReader, isCommit, isCommitted } from './messages.ts'

/**
 * `request`: the commit never reaches the server. `answer`: the server commits, and no client hears of it. `late`: the
 * commit reaches the server with `deliverLate`, and until then its transaction holds its locks. The client's connection
 * is cut at once.
 */
export type LostCommit = 'request' | 'answer' | 'late'

export interface PostgresProxy {
  /** `url` names the database behind the proxy; the result leads through it. */
  through(url: string): string
  /** Ends all connections at once. New ones are accepted. */
  cut(): void
  /** New connections are refused, as by a server that does not run. Those that are open continue. */
  refuse(): void
  /** No byte passes in either direction, and no connection ends. */
  hang(): void
  /** Each piece of an answer waits that long. */
  delay(ms: number): void
  /** Loses the next commits of any client. */
  loseCommits(what: LostCommit, count: number): void
  /** Resolves when the server has answered the late commits. */
  deliverLate(): Promise<void>
  /** How many commits were lost since the start. */
  lostCommits(): number
  /** Ends every fault. What a hanging connection has held back continues. */
  heal(): Promise<void>
  close(): Promise<void>
}

interface State {
  isHanging: boolean
  delayMs: number
  lose: LostCommit
  toLose: number
  lost: number
  /** The commits that wait, each with its connection to the server. */
  late: { readonly server: Socket; readonly commit: Buffer }[]
}

/** A server's file system socket, or its host and port. */
type Target = { readonly path: string } | { readonly host: string; readonly port: number }

const DEFAULT_PORT = 5432

export async function startPostgresProxy(serverUrl: string): Promise<PostgresProxy> {
  const target = targetOf(new URL(serverUrl))
  const state: State = { isHanging: false, delayMs: 0, lose: 'answer', toLose: 0, lost: 0, late: [] }
  const links = new Set<Link>()
  let server = listener()
  await listen(0)
  const { port } = server.address() as { readonly port: number }

  function listener() {
    return createServer((client) => {
      const link = createLink(client, connect(target), state)
      links.add(link)
      link.client.once('close', () => links.delete(link))
    })
  }
  async function listen(at: number): Promise<void> {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  const cut = () => {
    for (const link of links) link.destroy()
  }
  return {
    through(url) {
      const address = new URL(url)
      address.search = ''
      address.host = `127.0.0.1:${port}`
      return address.href
    },
    cut,
    refuse: () => void server.close(),
    hang() {
      state.isHanging = true
      for (const link of links) link.pause()
    },
    delay(ms) {
      state.delayMs = ms
    },
    loseCommits(what, count) {
      Object.assign(state, { lose: what, toLose: count })
    },
    async deliverLate() {
      for (const { server, commit } of state.late.splice(0)) {
        server.end(commit)
        if (!server.closed) await once(server, 'close')
      }
    },
    lostCommits: () => state.lost,
    async heal() {
      Object.assign(state, { isHanging: false, delayMs: 0, toLose: 0 })
      for (const link of links) link.resume()
      if (server.listening) return
      server = listener()
      await listen(port)
    },
    async close() {
      server.close()
      cut()
      for (const late of state.late) late.server.destroy()
      if (links.size > 0) await Promise.all([...links].map(({ client }) => once(client, 'close')))
    },
  }
}

function targetOf(url: URL): Target {
  const directory = url.searchParams.get('host')
  const port = Number(url.port || DEFAULT_PORT)
  return directory === null ? { host: url.hostname, port } : { path: join(directory, `.s.PGSQL.${port}`) }
}

interface Link {
  readonly client: Socket
  pause(): void
  resume(): void
  destroy(): void
}

/** One connection of a client, with its own to the server. When one ends, so does the other. */
function createLink(client: Socket, server: Socket, state: State): Link {
  /** The commit of this connection that is being lost. */
  let losing = false
  const asked = createMessageReader({ isOfClient: true })
  const answered = createMessageReader({ isOfClient: false })
  const destroy = () => {
    client.destroy()
    server.destroy()
  }
  for (const socket of [client, server]) socket.on('error', destroy).on('close', destroy).setNoDelay()

  client.on('data', (piece) => {
    const commit = asked(piece).find(isCommit)
    if (commit !== undefined && state.toLose > 0) {
      state.toLose--
      state.lost++
      losing = true
      if (state.lose === 'request') return destroy()
      if (state.lose === 'late') return holdBack(piece)
    }
    server.write(piece)
  })
  server.on('data', (piece) => {
    const messages = answered(piece)
    if (losing) {
      // An error or a rollback in place of the commit ends the wait as well: 'Z' says that the server has done all that
      // was asked.
      if (messages.some((message) => isCommitted(message) || message.type === 'Z')) destroy()
      return
    }
    if (state.delayMs === 0) client.write(piece)
    else setTimeout(() => client.write(piece), state.delayMs)
  })
  function holdBack(piece: Buffer): void {
    client.off('close', destroy)
    client.destroy()
    state.late.push({ server, commit: piece })
  }

  const pause = () => {
    client.pause()
    server.pause()
  }
  if (state.isHanging) pause()
  return {
    client,
    pause,
    resume() {
      client.resume()
      server.resume()
    },
    destroy,
  }
}
