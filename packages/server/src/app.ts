import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { addSeconds } from '@blindkeep/protocol/ids'
import type { FastifyInstance } from 'fastify'
import { createSecretHasher } from './adapters/argon2/argon2.ts'
import { openFilesystemBlobs } from './adapters/filesystem/blobs.ts'
import { openKeyring } from './adapters/keyring/keyring.ts'
import { openLimiter } from './adapters/limiter/limiter.ts'
import { lockDirectory } from './adapters/sql/directoryLock.ts'
import { openSqliteStore } from './adapters/sql/sqlite.ts'
import { systemClock } from './adapters/system/clock.ts'
import { systemRandom } from './adapters/system/random.ts'
import { type Config, publicAddressOf } from './config.ts'
import { checkServerId, openServerKeys } from './domain/keys.ts'
import { createRoutes } from './http/routes.ts'
import { createHttpServer } from './http/server.ts'
import { type Jobs, startJobs } from './jobs.ts'
import type { Clock } from './ports/clock.ts'
import type { Log } from './ports/log.ts'
import type { CopyState, Store, StoreBroken } from './ports/store.ts'
import { createRules } from './rules.ts'

/** The composition root: the one file that names adapters. */
export interface App {
  readonly http: FastifyInstance
  /** Stops taking requests, lets those under way end, and closes what was opened. */
  close(): Promise<void>
}

interface AppParts {
  readonly config: Config
  /** Where it will listen: the address that receipts carry follows from it, unless PUBLIC_URL says another. */
  readonly port: number
  readonly log: Log
  readonly version: string
  readonly onBroken: (error: StoreBroken) => void
}

export async function createApp({ config, port, log, version, onBroken }: AppParts): Promise<App> {
  const { dataDirectory } = config
  const { serverId, baseUrl: publicUrl } = publicAddressOf(config, port)
  const clock = systemClock
  const random = systemRandom
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(dataDirectory)
  // A new master secret beside an old database would open nothing that the old one sealed.
  const isFirstStart = !existsSync(config.databasePath)
  const keyring = await openKeyring({ masterSecretFile: config.masterSecretFile, createIfMissing: isFirstStart })
  const store = await openSqliteStore({ path: config.databasePath })
  // A disk that is not mounted would otherwise pass for one from which every copy has been lost.
  const createIfMissing = !(await knowsCopies(store, clock))
  const blobs = await openFilesystemBlobs({ directory: config.blobsDirectory, createIfMissing })
  await checkServerId(store, serverId)
  const keys = await openServerKeys({ store, keyring, clock, random })
  const limiter = await openLimiter({ path: config.limitsPath, secret: keys.serverSecret, clock, warn: log.warn })

  let jobs: Jobs | undefined
  const window = { min: config.protocolMin, max: config.protocolMax }
  const hasher = createSecretHasher({ concurrent: 2, queueMost: 64 })
  const rules = createRules(
    {
      store,
      blobs,
      clock,
      random,
      limiter,
      hasher,
      keys,
      giveUpAfter: (ms) => AbortSignal.timeout(ms),
      onDoomed: () => jobs?.onDoomed(),
    },
    { ...config, serverId, publicUrl, window },
  )
  const http = createHttpServer(
    {
      routes: createRoutes({ rules, store, blobs, clock, version }, config),
      sessions: rules.sessions,
      log,
      newRequestId: () => random.uuid(),
      onBroken,
    },
    { ...config, window },
  )
  jobs = startJobs({ sweep: rules.sweep, log, sweepSeconds: config.sweepSeconds, onBroken })
  return {
    http,
    async close() {
      await http.close()
      await jobs?.stop()
      await limiter.close()
      await store.close()
      await blobs.close()
      await lock.release()
    },
  }
}

const COPY_STATES: readonly CopyState[] = ['kept', 'unowned', 'marked', 'staged', 'doomed']
/** Seconds by which a clock that was wrong can have been ahead when a copy was entered. */
const CLOCK_AHEAD_MOST = 1000 * 365 * 86_400

async function knowsCopies(store: Store, clock: Clock): Promise<boolean> {
  const before = addSeconds(clock.now(), CLOCK_AHEAD_MOST)
  return store.read(async (tx) => {
    for (const state of COPY_STATES) if ((await tx.copies.listIn(state, before, 1)).length > 0) return true
    return false
  })
}
