import type { ProtocolWindow } from '@blindkeep/protocol/window'
import { type AccountSettings, createAccounts } from './domain/accounts.ts'
import { type AdoptionSettings, createAdopt } from './domain/adoption.ts'
import { createAlbums } from './domain/albums.ts'
import { createAssets } from './domain/assets.ts'
import { createCapabilities } from './domain/capabilities.ts'
import { createAlarm } from './domain/changes.ts'
import { createAppendChunk } from './domain/chunks.ts'
import { type CollectSettings, createCollector } from './domain/collect.ts'
import { createDeparture } from './domain/departure.ts'
import { createDevices } from './domain/devices.ts'
import { createDiscovery, type ServerFacts } from './domain/discovery.ts'
import { createDrops, createLandDrop, type DropSettings } from './domain/drops.ts'
import { createEvents } from './domain/events.ts'
import { createFeed } from './domain/feed.ts'
import { createFinishing } from './domain/finishing.ts'
import { createInbox } from './domain/inbox.ts'
import { createInvites } from './domain/invites.ts'
import type { ServerKeys } from './domain/keys.ts'
import { createLinks, type LinkSettings } from './domain/links.ts'
import { createChangePassword } from './domain/password.ts'
import { createPositions } from './domain/positions.ts'
import { createProtocolWindow } from './domain/protocolWindow.ts'
import { createCheckProvenance } from './domain/provenance.ts'
import { createQuota } from './domain/quota.ts'
import { createQuotaReview } from './domain/quotaReview.ts'
import { createReceiptLog } from './domain/receipts.ts'
import { createRecovery } from './domain/recovery.ts'
import type { GiveUpAfter } from './domain/scanTurns.ts'
import { createScrub, type ScrubSettings } from './domain/scrub.ts'
import { createSecondFactor } from './domain/secondFactor.ts'
import { createSessions, type SessionSettings } from './domain/sessions.ts'
import { createShares } from './domain/shares.ts'
import { createStagedBytes } from './domain/staged.ts'
import { createSweep, type SweepSettings } from './domain/sweep.ts'
import { createUploadEnding } from './domain/uploadEnding.ts'
import { createUploads, type UploadSettings } from './domain/uploads.ts'
import { createVerify, type VerifySettings } from './domain/verify.ts'
import { createWriters } from './domain/writers.ts'
import type { Blobs } from './ports/blobs.ts'
import type { Clock } from './ports/clock.ts'
import type { Keyring } from './ports/keyring.ts'
import type { Limiter } from './ports/limiter.ts'
import type { Log } from './ports/log.ts'
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
  /** Seals what the server keeps of second factors. */
  readonly keyring: Pick<Keyring, 'seal' | 'open'>
  readonly log: Log
  /** Bounds how long a request waits for its turn. */
  readonly giveUpAfter: GiveUpAfter
  /** Told after a commit that left bytes to be removed. */
  readonly onDoomed: () => void
  /** Told when the scrubber should read a copy soon. */
  readonly onSuspect: () => void
  /** Told after a commit that left an account to be emptied. */
  readonly onDeparted: () => void
}

export interface RuleSettings
  extends DropSettings,
    UploadSettings,
    AdoptionSettings,
    VerifySettings,
    SweepSettings,
    CollectSettings,
    ScrubSettings,
    AccountSettings,
    SessionSettings,
    Omit<LinkSettings, 'protocolVersion'>,
    ServerFacts {
  /** The protocol versions that writes may use, before any cutoff. */
  readonly window: ProtocolWindow
  readonly quotaSoftBytes: number | undefined
  readonly quotaHardBytes: number | undefined
  readonly quotaGraceDays: number
}

export type Rules = ReturnType<typeof createRules>

export function createRules(
  {
    store: silentStore,
    blobs,
    clock,
    random,
    limiter,
    hasher,
    keys,
    keyring,
    log,
    giveUpAfter,
    onDoomed,
    onSuspect,
    onDeparted,
  }: RulePorts,
  settings: RuleSettings,
) {
  const { serverId } = settings
  const { signerOf, tokens, serverSecret } = keys
  const alarm = createAlarm()
  const store = alarm.over(silentStore)
  const positions = createPositions({ store, random })
  const quota = createQuota({
    softBytes: settings.quotaSoftBytes,
    hardBytes: settings.quotaHardBytes,
    graceDays: settings.quotaGraceDays,
  })
  const writers = createWriters()
  const ending = createUploadEnding({ store, clock, quota, writers, onDoomed })
  const staged = createStagedBytes({ store, blobs })
  const protocolWindow = createProtocolWindow({ store, clock }, settings.window)
  const discovery = createDiscovery({ store, clock, tokens, protocolWindow }, settings)
  const receiptLog = createReceiptLog({
    store,
    clock,
    serverId,
    signerOf(key) {
      discovery.signsWith(key)
      return signerOf(key)
    },
  })
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
  const links = createLinks(
    { store, clock, limiter, ending },
    { ...settings, protocolVersion: () => protocolWindow.current().max },
  )
  const scrub = createScrub({ store, blobs, clock, log }, settings)
  const suspect = (location: string) => {
    scrub.suspect(location)
    onSuspect()
  }
  const shares = createShares({ store, blobs, clock })
  const sessions = createSessions({ store, clock, random, tokens, serverSecret }, settings)
  const accounts = createAccounts({ store, clock, random, limiter, hasher, sessions, serverSecret }, settings)
  const inbox = createInbox({ store, blobs, clock, quota })
  const departure = createDeparture({ store, clock, accounts, inbox, assets, ending, onDeparted })
  const recovery = createRecovery({ store, clock, random, limiter, hasher, sessions, serverSecret }, settings)
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
    verify: createVerify({ store, blobs, clock, limiter, giveUpAfter, suspect }, settings),
    inbox,
    accounts,
    changePassword: createChangePassword({ store, clock, hasher, accounts }),
    departure,
    recovery,
    secondFactor: createSecondFactor(
      {
        store,
        clock,
        random,
        limiter,
        keyring,
        serverSecret,
        accounts,
        sessions,
        applyRecovery: recovery.apply,
      },
      settings,
    ),
    invites: createInvites({ store, clock, random }),
    feed: createFeed({ store, positions }),
    events: createEvents({ store, clock, alarm, positions, sessions }),
    devices: createDevices({ store, clock }),
    albums: createAlbums({ store, clock }),
    capabilities: createCapabilities({ store, clock, random, tokens }, settings),
    shares,
    protocolWindow,
    discovery,
    scrub,
    sweep: createSweep(
      {
        store,
        clock,
        writers,
        finishing,
        ending,
        departure,
        shares,
        collector: createCollector({ store, blobs, clock }, settings),
        reviewQuotas: createQuotaReview({ store, clock, quota }),
      },
      settings,
    ),
  }
}
