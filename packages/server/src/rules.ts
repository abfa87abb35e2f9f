import { type AccountSettings, createAccounts } from './domain/accounts.ts'
import { type AdoptionSettings, createAdopt } from './domain/adoption.ts'
import { createAlbums } from './domain/albums.ts'
import { createAssets } from './domain/assets.ts'
import { createAppendChunk } from './domain/chunks.ts'
import { createDevices } from './domain/devices.ts'
import { createDiscovery, type ServerFacts } from './domain/discovery.ts'
import { createDrops, createLandDrop, type DropSettings } from './domain/drops.ts'
import { createFinishing } from './domain/finishing.ts'
import { createInbox } from './domain/inbox.ts'
import type { ServerKeys } from './domain/keys.ts'
import { createLinks, type LinkSettings } from './domain/links.ts'
import { createCheckProvenance } from './domain/provenance.ts'
import { createQuota } from './domain/quota.ts'
import { createReceiptLog } from './domain/receipts.ts'
import type { GiveUpAfter } from './domain/scanTurns.ts'
import { createSessions, type SessionSettings } from './domain/sessions.ts'
import { createStagedBytes } from './domain/staged.ts'
import { createSweep, type SweepSettings } from './domain/sweep.ts'
import { createUploadEnding } from './domain/uploadEnding.ts'
import { createUploads, type UploadSettings } from './domain/uploads.ts'
import { createVerify, type VerifySettings } from './domain/verify.ts'
import { createWriters } from './domain/writers.ts'
import type { Blobs } from './ports/blobs.ts'
import type { Clock } from './ports/clock.ts'
import type { Limiter } from './ports/limiter.ts'
import type { Random } from './ports/random.ts'
import type { SecretHasher } from './ports/secrets.ts'
import type { Store } from './ports/store.ts'

/** The rules, put together over whatever adapters they are given: app.ts and the tests share this one composition. */
export interface RulePorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly hasher: SecretHasher
  readonly keys: ServerKeys
  /** Bounds how long a request waits for its turn. */
  readonly giveUpAfter: GiveUpAfter
  /** Told after a commit that left bytes to be removed. */
  readonly onDoomed: () => void
}

export interface RuleSettings
  extends DropSettings,
    UploadSettings,
    AdoptionSettings,
    VerifySettings,
    SweepSettings,
    AccountSettings,
    SessionSettings,
    Omit<LinkSettings, 'protocolVersion'>,
    Omit<ServerFacts, 'signingKey'> {
  readonly quotaSoftBytes: number | undefined
  readonly quotaHardBytes: number | undefined
  readonly quotaGraceDays: number
}

export type Rules = ReturnType<typeof createRules>

export function createRules(
  { store, blobs, clock, random, limiter, hasher, keys, giveUpAfter, onDoomed }: RulePorts,
  settings: RuleSettings,
) {
  const { serverId, window } = settings
  const { active, tokens, serverSecret } = keys
  const quota = createQuota({
    softBytes: settings.quotaSoftBytes,
    hardBytes: settings.quotaHardBytes,
    graceDays: settings.quotaGraceDays,
  })
  const writers = createWriters()
  const ending = createUploadEnding({ store, clock, quota, writers, onDoomed })
  const staged = createStagedBytes({ store, blobs })
  const receiptLog = createReceiptLog({ store, clock, serverId, activeKey: () => active })
  const landDrop = createLandDrop({ ending })
  const assets = createAssets({ store, blobs, clock, quota, ending })
  const checkProvenance = createCheckProvenance({ store, blobs })
  const finishing = createFinishing({
    store,
    blobs,
    clock,
    random,
    staged,
    receiptLog,
    ending,
    landDrop,
    assets,
    checkProvenance,
  })
  const links = createLinks({ store, clock, limiter, ending }, { ...settings, protocolVersion: () => window.max })
  const sessions = createSessions({ store, clock, random, tokens, serverSecret }, settings)
  return {
    quota,
    writers,
    ending,
    staged,
    receiptLog,
    finishing,
    links,
    sessions,
    appendChunk: createAppendChunk({ store, blobs, clock, writers, staged, finishing }),
    drops: createDrops({ store, blobs, clock, random, limiter, links, quota }, settings),
    uploads: createUploads({ store, blobs, clock, random, quota }, settings),
    assets,
    adopt: createAdopt({ store, blobs, clock, random, receiptLog, assets, ending }, settings),
    verify: createVerify({ store, blobs, clock, limiter, giveUpAfter }, settings),
    inbox: createInbox({ store, blobs, clock, quota }),
    accounts: createAccounts({ store, clock, random, limiter, hasher, sessions, serverSecret }, settings),
    devices: createDevices({ store, clock }),
    albums: createAlbums({ store, clock }),
    discovery: createDiscovery({ store, clock }, { ...settings, signingKey: tokens.publicKey }),
    sweep: createSweep({ store, blobs, clock, writers, finishing, ending }, settings),
  }
}
