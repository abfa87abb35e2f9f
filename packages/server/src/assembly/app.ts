/** A server of its settings: opens what it needs, builds the rules over it, and begins what runs by the clock. */
import { setTimeout as wait } from 'node:timers/promises'
import { readPages } from '../adapters/filesystem/pages.ts'
import { openLimiter } from '../adapters/limiter/limiter.ts'
import { createLocalSeats } from '../adapters/limiter/localSeats.ts'
import { openPostgresLimiter } from '../adapters/limiter/postgresLimiter.ts'
import { openPostgresSeats } from '../adapters/limiter/postgresSeats.ts'
import { createMessenger } from '../adapters/messenger/messenger.ts'
import type { Condition } from '../adapters/prometheus/condition.ts'
import type { Meter } from '../adapters/prometheus/metrics.ts'
import { systemRandom as random } from '../adapters/system/random.ts'
import { type Config, messengerSettingsIn, publicAddressOf, sharedSettingsIn } from '../config/config.ts'
import type { IssuedInvite } from '../domain/account/invites.ts'
import { isInviteThroughProxy } from '../domain/account/registration.ts'
import { paced } from '../domain/closing/paced.ts'
import { readAccounts, readServerStatus, type Surroundings } from '../domain/closing/serverStatus.ts'
import { createHeadWatch, type HeadWatch, unwatched } from '../domain/custody/headWatch.ts'
import { openServerKeys } from '../domain/custody/keys.ts'
import { settleWindow } from '../domain/discovery/protocolWindow.ts'
import { formerUrls, recordPublicUrl } from '../domain/discovery/publicUrls.ts'
import { checkServerId, requireUnmoved } from '../domain/discovery/serverId.ts'
import { settleSettings } from '../domain/discovery/sharedSettings.ts'
import { askedInTime } from '../domain/ground/askedInTime.ts'
import { lastBackupAt } from '../domain/ground/lastBackup.ts'
import { createRules, type Rules } from '../domain/rules.ts'
import { freeBytesBeside } from '../ground/disk.ts'
import { createMetricsServer, type MetricsServer } from '../http/metricsServer.ts'
import { createRoutes } from '../http/routes/routes.ts'
import { createHttpServer, type HttpServer } from '../http/server.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Log } from '../ports/log.ts'
import type { News, Node } from '../ports/node.ts'
import type { Seats } from '../ports/seats.ts'
import type { Store, StoreBroken } from '../ports/store.ts'
import { type ConditionWatch, openConditionWatch } from '../watch/conditions.ts'
import { type FullWatch, watchFullness } from '../watch/fullness.ts'
import { startWork } from '../watch/periodic.ts'
import { openPresenceWatch, type PresenceWatch } from '../watch/presence.ts'
import { periodicWork } from '../watch/table.ts'
import { openServerData, type ServerData } from './data.ts'
import { LOOK_MS, openOperatorMessages } from './operatorMessages.ts'
import { outdatingCopies } from './upgradeCopy.ts'

export interface App {
  readonly http: HttpServer
  /** Undefined unless METRICS_PORT is set. */
  readonly metrics: MetricsServer | undefined
  /** Whether the pages are built. Without them the rest works. */
  readonly hasPages: boolean
  /** What the operator has to look at: sentences for people. */
  readonly warnings: readonly string[]
  firstUse(): Promise<FirstUse>
  /** Is not ready, then after `drainSeconds` stops accepting, waits for running requests, and closes everything. */
  close(): Promise<void>
}

interface FirstUse {
  readonly hasAccounts: boolean
  /** For the operator, if registration requires one and there is neither an account nor a live invite. */
  readonly invite: IssuedInvite | undefined
}

interface AppOptions {
  readonly config: Config
  /** The port to listen on. Without PUBLIC_URL, the address in receipts has it. */
  readonly port: number
  readonly log: Log
  readonly version: string
  readonly onBroken: (error: StoreBroken) => void
}

export async function createApp(options: AppOptions): Promise<App> {
  const { config, port, version, onBroken } = options
  const { serverId, baseUrl: publicUrl } = publicAddressOf(config, port)
  const { meter, log, data, full } = await openWatched(options)
  const { store, keyring, node } = data
  const [{ clock }, { pushSigner }] = [node, keyring]
  const watching = await openWatches({ ...data, ...config, clock, log })
  await checkServerId(store, serverId)
  await settleSettings(store, sharedSettingsIn(config), node)
  const keys = await openServerKeys({ store, keyring, clock, random })
  const counts = await openCounts(config, { node, secret: keys.serverSecret, log })

  const pages = await readPages(config.pagesDirectory)
  let work: ReturnType<typeof startPeriodicWork> | undefined
  const window = { min: config.protocolMin, max: config.protocolMax }
  const rules = createRules(
    {
      ...data,
      clock,
      random,
      ...counts,
      keys,
      messenger: createMessenger({ pushSigner, clock }, { ...messengerSettingsIn(config), serverId }),
      log,
      headWatch: watching.headWatch,
      news: suspicious(node, watching.headWatch),
      ...(node.nodeId !== undefined && { nodeId: node.nodeId }),
      giveUpAfter,
      onDeleting: () => work?.jobs.soon('remove deleting bytes'),
      onSuspect: () => work?.jobs.soon('read again'),
      onDeleted: () => work?.jobs.soon('empty deleted accounts'),
    },
    { ...config, serverId, publicUrl, window },
  )
  await settleWindow(store, window)
  await recordPublicUrl(store, publicUrl)
  await rules.protocolWindow.refresh()
  let isDraining = false
  const { unreadiness, warnings, around } = healthOf({ full, node, ...watching }, config, () => isDraining)
  const http = createHttpServer(
    {
      routes: createRoutes({ ...data, rules, clock, version, unreadiness, warnings }, { ...config, publicUrl }),
      pages,
      sessions: rules.sessions,
      proofs: rules.proofs,
      protocolWindow: rules.protocolWindow,
      log,
      newRequestId: () => random.uuid(),
      watch: meter?.requests,
      onBroken,
    },
    { ...config, publicUrl, formerUrls: await store.read(formerUrls) },
  )
  const operatorMessages = openOperatorMessages(config, { ...data, ...rules, around, serverId, log, giveUpAfter })
  const requireName = () => store.ask((tx) => requireUnmoved(tx, serverId))
  const workers = { ...rules, ...watching, operatorMessages, requireUnmoved: requireName }
  work = startPeriodicWork(workers, config, { node, log, onBroken })
  const metrics = serveMetrics({ meter, config, log, data, ...watching, rules, unreadiness, around })
  return {
    http,
    metrics,
    hasPages: pages.size > 0,
    warnings: watching.conditions.warnings,
    firstUse: () => firstUseOf({ store, ...rules }, config),
    async close() {
      // The jobs stop first, so that reading a large object does not delay the end.
      const stopped = work?.jobs.stop().then(rules.notifier.isIdle)
      isDraining = true
      await wait(config.drainSeconds * 1000)
      await http.close()
      await stopped
      await metrics?.close()
      await work?.watches.stop()
      await watching.headWatch.close()
      await counts.limiter.close()
      await counts.seats.close()
      await data.close()
    },
  }
}

async function firstUseOf(
  { store, invites }: Pick<Rules, 'invites'> & { readonly store: Store },
  config: Pick<Config, 'registration' | 'isRegistrationDefault' | 'trustedProxies'>,
): Promise<FirstUse> {
  const [account] = await store.read((tx) => tx.accounts.list({ afterEmail: undefined, max: 1 }))
  const invite =
    config.registration === 'invite' || isInviteThroughProxy(config) ? await invites.issueFirst() : undefined
  return { hasAccounts: account !== undefined, invite }
}

function startPeriodicWork(
  workers: Parameters<typeof periodicWork>[0],
  config: Config,
  ports: Parameters<typeof startWork>[1],
) {
  const rows = periodicWork(workers, config)
  return {
    jobs: startWork(
      rows.filter(({ queue }) => queue !== undefined),
      ports,
    ),
    watches: startWork(
      rows.filter(({ queue }) => queue === undefined),
      ports,
    ),
  }
}

interface Watches {
  readonly full: Pick<FullWatch, 'reasons'>
  readonly node: Pick<Node, 'faults'>
  readonly presence: PresenceWatch
  readonly headWatch: Pick<HeadWatch, 'reasons'>
  readonly conditions: ConditionWatch
}

/** What /readyz says. Nothing of it waits. */
function healthOf(
  { full, node, presence, headWatch, conditions }: Watches,
  { freeSpaceFloorBytes }: Pick<Config, 'freeSpaceFloorBytes'>,
  isDraining: () => boolean,
) {
  // Not a fault: a load balancer would take away reading and deleting too (decisions/full-disk.md).
  const isLow = () => (presence.freeBytes() ?? Number.POSITIVE_INFINITY) <= freeSpaceFloorBytes
  function unreadiness(): readonly string[] {
    const drains = isDraining() ? ['draining'] : []
    // The database's silence may be seen twice.
    const away = new Set([...node.faults(), ...presence.faults()])
    return [drains, full.reasons(), [...away], headWatch.reasons()].flat()
  }
  return {
    unreadiness,
    /** What a status has that no row says. */
    around: (): Surroundings => ({
      unready: unreadiness(),
      freeBytes: presence.freeBytes(),
      floorBytes: freeSpaceFloorBytes,
    }),
    warnings: (): readonly string[] => [isLow() ? ['disk_below_floor'] : [], conditions.words()].flat(),
  }
}

interface Metered {
  readonly meter: Meter | undefined
  readonly log: Log
  readonly data: ServerData
}

/** As `openMetered`, with a store that notices a full disk. */
async function openWatched(options: AppOptions): Promise<Metered & { readonly full: FullWatch }> {
  const { data, ...others } = await openMetered(options)
  const full = watchFullness(data.store, { log: others.log, freeBytes: roomOf(options.config) })
  const close = () => {
    full.stop()
    return data.close()
  }
  return { ...others, data: { ...data, store: full.store, close }, full }
}

/** The server's data and log, counted if the operator wants figures. Only then the library is loaded. */
async function openMetered({ config, log, version, onBroken }: AppOptions): Promise<Metered> {
  const data = await openServerData(config, { version, onBroken, log })
  if (config.metricsPort === undefined) return { meter: undefined, log, data }
  const { createMeter } = await import('../adapters/prometheus/metrics.ts')
  const meter = createMeter({ version })
  return { meter, log: meter.log(log), data: meter.over(data) }
}

function serveMetrics({
  meter,
  config: { freeSpaceFloorBytes, metricsToken: token },
  log,
  data: { store, node },
  headWatch,
  rules: { quota, receiptLog },
  presence,
  unreadiness,
  around,
}: Metered &
  Pick<AppOptions, 'config'> &
  Pick<Condition, 'presence' | 'unreadiness'> & {
    readonly headWatch: HeadWatch
    readonly rules: Pick<Rules, 'quota' | 'receiptLog'>
    readonly around: () => Surroundings
  }) {
  const isSetBack = () => headWatch.reasons().length > 0
  const { clock } = node
  const accounts = paced(() => readAccounts({ store, clock, quota }), clock)
  const rows = askedInTime(
    paced(() => readServerStatus({ store, clock, quota }, around()), clock),
    { ms: LOOK_MS, giveUpAfter },
  )
  const { waiting: receiptsWaiting } = receiptLog
  const asked = { store, clock, presence, unreadiness, receiptsWaiting, freeSpaceFloorBytes, lastBackupAt, isSetBack }
  return (
    meter &&
    createMetricsServer({
      metrics: meter.metrics({ ...asked, accounts }),
      readStatus: async () => ({ ...(await rows()), ...around() }),
      unreadiness,
      log,
      token,
    })
  )
}

/** How many bytes the disk of the database still takes. Infinite where it is the disk of another program. */
function roomOf({ database }: Config): () => Promise<number> {
  return async () => (database.kind === 'sqlite' ? freeBytesBeside(database.path) : Number.POSITIVE_INFINITY)
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

const giveUpAfter = (ms: number) => AbortSignal.timeout(ms)

/** The first check is over before anything is signed or removed. */
async function openWatches({
  store,
  objects,
  witness,
  freeSpaceFloorBytes: floorBytes,
  database,
  clock,
  log,
}: Pick<ServerData, 'store' | 'objects' | 'witness'> &
  Pick<Config, 'freeSpaceFloorBytes' | 'database'> &
  Pick<AppOptions, 'log'> & { readonly clock: Clock }) {
  // Without a witness, a copy from before an upgrade is what could set the database back alone.
  const unwitnessed: HeadWatch =
    database.kind === 'sqlite' ? { ...unwatched, signed: outdatingCopies(database.path, log) } : unwatched
  const headWatch = witness === undefined ? unwitnessed : createHeadWatch({ store, witness, log, giveUpAfter })
  await headWatch.check()
  const conditions = await openConditionWatch({ disk: objects, store, clock, floorBytes, log })
  const presence = await openPresenceWatch({ disk: objects, store })
  return { headWatch, presence, conditions }
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
