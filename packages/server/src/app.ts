/** The composition root. Only this file and `data.ts` import adapters, except `adapters/system`, which `start.ts` and the commands of `cli/` import too. */
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { createSecretHasher } from './adapters/argon2/argon2.ts'
import { readPages } from './adapters/filesystem/pages.ts'
import { openLimiter } from './adapters/limiter/limiter.ts'
import { createLocalSeats } from './adapters/limiter/localSeats.ts'
import { openPostgresLimiter } from './adapters/limiter/postgresLimiter.ts'
import { openPostgresSeats } from './adapters/limiter/postgresSeats.ts'
import { createMessenger } from './adapters/messenger/messenger.ts'
import { systemRandom } from './adapters/system/random.ts'
import { type Config, messengerSettingsIn, publicAddressOf, sharedSettingsIn } from './config.ts'
import { openServerData, type ServerData } from './data.ts'
import { startDiskWatch } from './diskWatch.ts'
import type { IssuedInvite } from './domain/account/invites.ts'
import { CHECK_SECONDS, createHeadWatch, type HeadWatch, unwatched } from './domain/custody/headWatch.ts'
import { openServerKeys } from './domain/custody/keys.ts'
import { checkServerId } from './domain/custody/serverId.ts'
import { settleWindow } from './domain/discovery/protocolWindow.ts'
import { settleSettings } from './domain/discovery/sharedSettings.ts'
import { createRoutes } from './http/routes.ts'
import { createHttpServer } from './http/server.ts'
import { type Jobs, startJobs } from './jobs.ts'
import type { Limiter } from './ports/limiter.ts'
import type { Log } from './ports/log.ts'
import type { News, Node } from './ports/node.ts'
import type { Seats } from './ports/seats.ts'
import { StoreBroken } from './ports/store.ts'
import { startRefreshing } from './refreshing.ts'
import { createRules } from './rules.ts'

export interface App {
  readonly http: FastifyInstance
  /** Whether the pages are built. Without them the rest works. */
  readonly hasPages: boolean
  /** What the operator has to look at: sentences for people. */
  readonly warnings: readonly string[]
  /** An invite for the operator, if registration requires one and there is neither an account nor a live invite. */
  issueFirstInvite(): Promise<IssuedInvite | undefined>
  /** Is not ready any more, and after `drainSeconds` stops accepting requests, waits for the running ones, and closes everything. */
  close(): Promise<void>
}

interface AppParts {
  readonly config: Config
  /** The port to listen on. Without PUBLIC_URL, the address in receipts has it. */
  readonly port: number
  readonly log: Log
  readonly version: string
  readonly onBroken: (error: StoreBroken) => void
}

export async function createApp({ config, port, log, version, onBroken }: AppParts): Promise<App> {
  const { serverId, baseUrl: publicUrl } = publicAddressOf(config, port)
  const random = systemRandom
  const data = await openServerData(config, { version, onBroken })
  const { store, objects, keyring, node } = data
  const { clock } = node
  const { headWatch, diskWatch, watching } = await startWatching({ ...data, ...config, log, onBroken })
  await checkServerId(store, serverId)
  await settleSettings(store, sharedSettingsIn(config), node)
  const keys = await openServerKeys({ store, keyring, clock, random })
  const { limiter, seats } = await openCounts(config, { node, secret: keys.serverSecret, log })

  const pages = await readPages(config.pagesDirectory)
  let jobs: Jobs | undefined
  const window = { min: config.protocolMin, max: config.protocolMax }
  const hasher = createSecretHasher({ concurrent: 2, queueMax: 64 })
  const rules = createRules(
    {
      ...data,
      clock,
      random,
      limiter,
      seats,
      hasher,
      keys,
      messenger: createMessenger({ clock }, { ...messengerSettingsIn(config), serverId }),
      log,
      headWatch,
      news: suspicious(node, headWatch),
      ...(node.nodeId !== undefined && { nodeId: node.nodeId }),
      giveUpAfter: (ms) => AbortSignal.timeout(ms),
      onDeleting: () => jobs?.onDeleting(),
      onSuspect: () => jobs?.onSuspect(),
      onDeleted: () => jobs?.onDeleted(),
    },
    { ...config, serverId, publicUrl, window },
  )
  await settleWindow(store, window)
  await rules.protocolWindow.refresh()
  let isDraining = false
  const unreadiness = () => [...(isDraining ? ['draining'] : []), ...node.faults(), ...headWatch.reasons()]
  const http = createHttpServer(
    {
      routes: createRoutes({ rules, store, objects, clock, version, unreadiness }, config),
      pages,
      sessions: rules.sessions,
      protocolWindow: rules.protocolWindow,
      log,
      newRequestId: () => random.uuid(),
      onBroken,
    },
    { ...config, publicUrl },
  )
  jobs = startJobs({ ...rules, node, log, sweepSeconds: config.sweepSeconds, onBroken })
  const refreshing = startRefreshing({ refresh: rules.protocolWindow.refresh, log, onBroken })
  return {
    http,
    hasPages: pages.size > 0,
    warnings: diskWatch.warnings,
    issueFirstInvite: async () => (config.registration === 'invite' ? rules.invites.issueFirst() : undefined),
    async close() {
      // The jobs stop first, so that reading a large object does not delay the end.
      const stopped = jobs?.stop()
      isDraining = true
      await wait(config.drainSeconds * 1000)
      await http.close()
      await stopped
      await refreshing.stop()
      diskWatch.stop()
      clearInterval(watching)
      await headWatch.close()
      await limiter.close()
      await seats.close()
      await data.close()
    },
  }
}

/** What limits requests: shared by all nodes, and kept in the process of a node that is alone. */
async function openCounts(
  { database, limitsPath }: Config,
  { node: { isSole, clock }, secret, log }: { readonly node: Node; readonly secret: Uint8Array; readonly log: Log },
): Promise<{ readonly limiter: Limiter; readonly seats: Seats }> {
  const { warn } = log
  if (isSole || database.kind === 'sqlite')
    return { limiter: await openLimiter({ path: limitsPath, secret, clock, warn }), seats: createLocalSeats() }
  const { url } = database
  return { limiter: openPostgresLimiter({ url, secret, warn }), seats: openPostgresSeats({ url, warn }) }
}

/** The first check is over before anything is signed or removed. */
async function startWatching({
  store,
  objects,
  witness,
  freeSpaceFloorBytes: floorBytes,
  log,
  onBroken,
}: Pick<ServerData, 'store' | 'objects' | 'witness'> &
  Pick<Config, 'freeSpaceFloorBytes'> &
  Pick<AppParts, 'log' | 'onBroken'>) {
  const headWatch = witness === undefined ? unwatched : createHeadWatch({ store, witness, log })
  await headWatch.check()
  // A database that does not answer is asked again.
  const unlessBroken = (error: unknown) => {
    if (error instanceof StoreBroken) onBroken(error)
  }
  const watching = setInterval(() => void headWatch.check().catch(unlessBroken), CHECK_SECONDS * 1000)
  return { headWatch, diskWatch: await startDiskWatch({ disk: objects, floorBytes, log }), watching }
}

/** After a lost connection the database may be another one. */
function suspicious(news: News, headWatch: Pick<HeadWatch, 'suspect'>): News {
  return {
    announce: news.announce,
    onNews: (hear) =>
      news.onNews((accountIds) => {
        if (accountIds === undefined) headWatch.suspect()
        hear(accountIds)
      }),
  }
}
