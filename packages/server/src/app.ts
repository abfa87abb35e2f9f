import { mkdir } from 'node:fs/promises'
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
import { createAccounts } from './domain/accounts.ts'
import { createAppendChunk } from './domain/chunks.ts'
import { createDiscovery } from './domain/discovery.ts'
import { createDrops, createLandDrop } from './domain/drops.ts'
import { createFinishing } from './domain/finishing.ts'
import { createInbox } from './domain/inbox.ts'
import { checkServerId, openServerKeys } from './domain/keys.ts'
import { createLinks } from './domain/links.ts'
import { createQuota } from './domain/quota.ts'
import { createReceiptLog } from './domain/receipts.ts'
import { createSessions } from './domain/sessions.ts'
import { createStagedBytes } from './domain/staged.ts'
import { createSweep } from './domain/sweep.ts'
import { createUploadEnding } from './domain/uploads.ts'
import { createWriters } from './domain/writers.ts'
import { accountRoutes } from './http/routes/accounts.ts'
import { discoveryRoutes } from './http/routes/discovery.ts'
import { guestRoutes } from './http/routes/guest.ts'
import { inboxRoutes } from './http/routes/inbox.ts'
import { linkRoutes } from './http/routes/links.ts'
import { quotaRoutes } from './http/routes/quota.ts'
import { serviceRoutes } from './http/routes/service.ts'
import { createHttpServer } from './http/server.ts'
import { type Jobs, startJobs } from './jobs.ts'
import type { Log } from './ports/log.ts'
import type { StoreBroken } from './ports/store.ts'

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
  const keyring = await openKeyring({ masterSecretFile: config.masterSecretFile, createIfMissing: true })
  const store = await openSqliteStore({ path: config.databasePath })
  const blobs = await openFilesystemBlobs({ directory: config.blobsDirectory })
  await checkServerId(store, serverId)
  const { active, tokens, serverSecret } = await openServerKeys({ store, keyring, clock, random })
  const limiter = await openLimiter({ path: config.limitsPath, secret: serverSecret, clock, warn: log.warn })

  let jobs: Jobs | undefined
  const window = { min: config.protocolMin, max: config.protocolMax }
  const quota = createQuota({
    softBytes: config.quotaSoftBytes,
    hardBytes: config.quotaHardBytes,
    graceDays: config.quotaGraceDays,
  })
  const writers = createWriters()
  const ending = createUploadEnding({ store, clock, quota, writers, onDoomed: () => jobs?.onDoomed() })
  const staged = createStagedBytes({ store, blobs })
  const receiptLog = createReceiptLog({ store, clock, serverId, activeKey: () => active })
  const landDrop = createLandDrop({ ending })
  const finishing = createFinishing({ store, blobs, clock, random, staged, receiptLog, ending, landDrop })
  const appendChunk = createAppendChunk({ store, blobs, clock, writers, staged, finishing })
  const links = createLinks(
    { store, clock, limiter, endUploadsOfLink: ending.endAllOfLink },
    {
      protocolVersion: () => window.max,
      blobBytesMost: config.blobBytesMost,
      passphraseTriesPerWindow: config.passphraseTriesPerWindow,
    },
  )
  const drops = createDrops({ store, blobs, clock, random, limiter, links, quota }, config)
  const inbox = createInbox({ store, blobs, clock, quota })
  const sessions = createSessions({ store, clock, random, tokens, serverSecret }, { ...config, serverId })
  const hasher = createSecretHasher({ concurrent: 2, queueMost: 64 })
  const accounts = createAccounts({ store, clock, random, limiter, hasher, sessions, serverSecret }, config)
  const discovery = createDiscovery(
    { store, clock },
    { serverId, publicUrl, federationUrl: config.federationUrl, window, signingKey: tokens.publicKey },
  )
  const sweep = createSweep({ store, blobs, clock, writers, finishing, ending }, config)

  const routes = {
    ...serviceRoutes({ store, blobs, version }),
    ...discoveryRoutes({ discovery }),
    ...accountRoutes({ accounts, sessions }),
    ...quotaRoutes({ quota, clock }),
    ...linkRoutes({ links }),
    ...inboxRoutes({ inbox, blobs }),
    ...guestRoutes({ store, links, drops, ending, appendChunk }, config),
  }
  const http = createHttpServer(
    { routes, sessions, log, newRequestId: () => random.uuid(), onBroken },
    { ...config, window },
  )
  jobs = startJobs({ sweep, log, sweepSeconds: config.sweepSeconds })
  return {
    http,
    async close() {
      await http.close()
      await jobs?.stop()
      await limiter.close()
      await store.close()
      await lock.release()
    },
  }
}
