import type { ProtocolWindow } from '@blindkeep/protocol/window'
import { createAccountDeletion } from './domain/account/accountDeletion.ts'
import { type AccountSettings, createAccounts } from './domain/account/accounts.ts'
import { createDevices } from './domain/account/devices.ts'
import { createInvites } from './domain/account/invites.ts'
import { createChangePassword } from './domain/account/password.ts'
import { createRecovery } from './domain/account/recovery.ts'
import { createSecondFactor } from './domain/account/secondFactor.ts'
import { createSessions, type SessionSettings } from './domain/account/sessions.ts'
import { createAlbums } from './domain/assets/albums.ts'
import { createAssets } from './domain/assets/assets.ts'
import { createCheckProvenance } from './domain/assets/provenance.ts'
import { createShares } from './domain/assets/shares.ts'
import { createAlarm } from './domain/changes/changes.ts'
import { createEvents } from './domain/changes/events.ts'
import { createFeed } from './domain/changes/feed.ts'
import { createPositions } from './domain/changes/positions.ts'
import { type CollectSettings, createCollector } from './domain/custody/collect.ts'
import type { ServerKeys } from './domain/custody/keys.ts'
import { createReceiptLog } from './domain/custody/receipts.ts'
import type { GiveUpAfter } from './domain/custody/scanTurns.ts'
import { createScrub, type ScrubSettings } from './domain/custody/scrub.ts'
import { createVerify, type VerifySettings } from './domain/custody/verify.ts'
import { createCapabilities } from './domain/discovery/capabilities.ts'
import { createDiscovery, type ServerFacts } from './domain/discovery/discovery.ts'
import { createProtocolWindow } from './domain/discovery/protocolWindow.ts'
import { type AdoptionSettings, createAdopt } from './domain/drops/adoption.ts'
import { createDrops, createLandDrop, type DropSettings } from './domain/drops/drops.ts'
import { createInbox } from './domain/drops/inbox.ts'
import { createLinks, type LinkSettings } from './domain/drops/links.ts'
import { createQuota } from './domain/quota/quota.ts'
import { createQuotaReview } from './domain/quota/quotaReview.ts'
import { createSweep, type SweepSettings } from './domain/sweep.ts'
import { createAppendChunk } from './domain/uploads/chunks.ts'
import { createFinishing } from './domain/uploads/finishing.ts'
import { createStagedBytes } from './domain/uploads/staged.ts'
import { createUploadEnding } from './domain/uploads/uploadEnding.ts'
import { createUploads, type UploadSettings } from './domain/uploads/uploads.ts'
import { createWriters } from './domain/uploads/writers.ts'
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
  /** CappedList after a commit that left bytes to be removed. */
  readonly onDeleting: () => void
  /** CappedList when the scrubber should read an object soon. */
  readonly onSuspect: () => void
  /** CappedList after a commit that left an account to be emptied. */
  readonly onDeleted: () => void
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
    onDeleting,
    onSuspect,
    onDeleted,
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
  const ending = createUploadEnding({ store, clock, quota, writers, onDeleting })
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
  const accountDeletion = createAccountDeletion({ store, clock, accounts, inbox, assets, ending, onDeleted })
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
    accountDeletion,
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
        accountDeletion,
        shares,
        collector: createCollector({ store, blobs, clock }, settings),
        reviewQuotas: createQuotaReview({ store, clock, quota }),
      },
      settings,
    ),
  }
}
