import type { ProtocolWindow } from '@blindkeep/protocol/window'
import type { GiveUpAfter } from '../ground/pause.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyedBytes } from '../ports/keyedBytes.ts'
import type { Keyring } from '../ports/keyring.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Log } from '../ports/log.ts'
import type { Messenger } from '../ports/messenger.ts'
import type { News } from '../ports/node.ts'
import type { Objects } from '../ports/objects.ts'
import type { Random } from '../ports/random.ts'
import type { Seats } from '../ports/seats.ts'
import type { Staging } from '../ports/staging.ts'
import type { Store } from '../ports/store.ts'
import { type AccountSettings, createAccounts } from './account/accounts.ts'
import { createDevices } from './account/devices.ts'
import { createFactorCodes } from './account/factorCodes.ts'
import { createInvites } from './account/invites.ts'
import { createPasskeys } from './account/passkeys.ts'
import { createChangePassword } from './account/password.ts'
import { createProofs } from './account/proofs.ts'
import { createRecovery } from './account/recovery.ts'
import { createRecoveryWords } from './account/recoveryWords.ts'
import { createSecondFactor } from './account/secondFactor.ts'
import { createSessions, type SessionSettings } from './account/sessions.ts'
import { createChunks } from './arrival/chunks.ts'
import { createFinishing } from './arrival/finishing.ts'
import { createLandDrops, createLanding } from './arrival/landing.ts'
import { createStagedBytes } from './arrival/stagedBytes.ts'
import { createAlbums } from './assets/albums.ts'
import { createAssetBlobs } from './assets/assetBlobs.ts'
import { createAssets } from './assets/assets.ts'
import { createUploads, type UploadSettings } from './assets/assetUploads.ts'
import { createCapabilities } from './assets/capabilities.ts'
import { createCheckProvenance } from './assets/provenance.ts'
import { createRetainAssets } from './assets/retainAssets.ts'
import { createBin } from './bin/bin.ts'
import { createAlarm } from './changes/changes.ts'
import { createPositions } from './changes/positions.ts'
import { createAccountDeletion } from './closing/accountDeletion.ts'
import { createSweep, type SweepSettings } from './closing/sweep.ts'
import { type CollectSettings, createCollector } from './custody/collect.ts'
import type { HeadWatch } from './custody/headWatch.ts'
import type { ServerKeys } from './custody/keys.ts'
import { createParts, type PartSettings } from './custody/parts.ts'
import { createReceiptLog } from './custody/receipts.ts'
import { createScrubber, type ScrubSettings } from './custody/scrub.ts'
import { createServing } from './custody/servable.ts'
import { createVerify, type VerifySettings } from './custody/verify.ts'
import { createDiscovery, type ServerFacts } from './discovery/discovery.ts'
import { createProtocolWindow } from './discovery/protocolWindow.ts'
import { type AdoptionSettings, createAdopt } from './drops/adoption.ts'
import { createDrops, type DropSettings } from './drops/drops.ts'
import { createInbox } from './drops/inbox.ts'
import { createInboxRoom, type InboxSettings } from './drops/inboxRoom.ts'
import { createLinkRefusals } from './drops/linkRefusals.ts'
import { createLinks, type LinkSettings } from './drops/links.ts'
import { createOpenedSessions } from './drops/openedSessions.ts'
import { createOwnerNotices } from './drops/ownerNotices.ts'
import { createRefusedDrops } from './drops/refusedDrops.ts'
import { createChannels } from './notify/channels.ts'
import { createNotifier } from './notify/notifier.ts'
import { createQuota } from './quota/quota.ts'
import { createQuotaReview } from './quota/quotaReview.ts'
import { createRoom, type RoomSettings } from './quota/room.ts'
import { createRowBudget, type RowSettings } from './quota/rowBudget.ts'
import { createShares } from './shares/shares.ts'
import { createEvents } from './sync/events.ts'
import { createFeed } from './sync/feed.ts'
import { createMarkWriting } from './uploads/markWriting.ts'
import { createUploadEnding } from './uploads/uploadEnding.ts'
import { createWriters } from './uploads/writers.ts'

/** Assembles the rules over the given ports. `assembly/app.ts` and the tests share this composition. */
export interface RulePorts {
  readonly store: Store
  readonly staging: Staging
  readonly objects: Objects
  /** Undefined if the store of bytes has no keys. */
  readonly keyedBytes?: KeyedBytes | undefined
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly seats: Seats
  readonly keys: ServerKeys
  /** Encrypts the secrets of second factors, and signs receipts. */
  readonly keyring: Pick<Keyring, 'seal' | 'open' | 'openAttestationKey'>
  readonly log: Log
  /** Names this process among several that share the store. Absent where there are no others. */
  readonly nodeId?: string
  /** Reaches the owners where they are. */
  readonly messenger: Messenger
  /** Between the nodes. */
  readonly news: News
  /** Bounds how long a request waits for its turn. */
  readonly giveUpAfter: GiveUpAfter
  /** Notices a database that was set back. */
  readonly headWatch: HeadWatch
  /** Called after a commit that left bytes to delete. */
  readonly onDeleting: () => void
  /** Called when the scrubber should read an object soon. */
  readonly onSuspect: () => void
  /** Called after a commit that deleted an account whose contents remain to be deleted. */
  readonly onDeleted: () => void
}

export interface RuleSettings
  extends DropSettings,
    UploadSettings,
    InboxSettings,
    RoomSettings,
    AdoptionSettings,
    VerifySettings,
    SweepSettings,
    CollectSettings,
    PartSettings,
    ScrubSettings,
    AccountSettings,
    SessionSettings,
    RowSettings,
    Omit<LinkSettings, 'protocolVersion'>,
    ServerFacts {
  /** The protocol versions that writes may use, before any cutoff. */
  readonly window: ProtocolWindow
  readonly quotaSoftBytes: number | undefined
  readonly quotaHardBytes: number | undefined
  readonly quotaGraceDays: number
}

export type Rules = ReturnType<typeof createRules>

export function createRules(given: RulePorts, settings: RuleSettings) {
  const ports = withGuardedRemoval(given)
  const base = createBase(ports, settings)
  const { alarm, store, positions, ...common } = base
  const files = createFileRules(ports, settings, base)
  const accounts = createAccountRules(ports, settings, { ...base, ...files })
  const { objects, keyedBytes, clock } = ports
  const collector = createCollector({ store, objects, keyedBytes, clock }, settings)
  const reviewQuotas = createQuotaReview({ store, clock, quota: base.quota })
  return {
    ...common,
    ...files,
    ...accounts,
    feed: createFeed({ store, positions }),
    events: createEvents({ store, clock, alarm, positions, sessions: accounts.sessions, seats: ports.seats }),
    sweep: createSweep({ store, clock, ...common, ...files, ...accounts, collector, reviewQuotas }, settings),
  }
}

/** No bytes are removed while the database may have been set back. */
function withGuardedRemoval(ports: RulePorts): RulePorts {
  const guarded = <Bytes extends Pick<Objects, 'remove'>>(bytes: Bytes): Bytes => ({
    ...bytes,
    async remove(place: string) {
      await ports.headWatch.beforeRemoving()
      await bytes.remove(place)
    },
  })
  const { objects, keyedBytes } = ports
  return { ...ports, objects: guarded(objects), keyedBytes: keyedBytes && guarded(keyedBytes) }
}

type Base = ReturnType<typeof createBase>

/** What many rules share. Its store raises the alarm for listeners after each commit that changed something. */
function createBase(ports: RulePorts, settings: RuleSettings) {
  const { store: silentStore, staging, objects, clock, random, keys, headWatch, news, giveUpAfter, onDeleting } = ports
  const { nodeId, keyring } = ports
  const { serverId, quotaSoftBytes, quotaHardBytes, quotaGraceDays } = settings
  const alarm = createAlarm(news)
  const store = alarm.over(silentStore)
  const quota = createQuota({ softBytes: quotaSoftBytes, hardBytes: quotaHardBytes, graceDays: quotaGraceDays })
  const writers = createWriters(nodeId === undefined ? undefined : createMarkWriting({ store, clock, giveUpAfter }))
  const protocolWindow = createProtocolWindow({ store, clock }, settings.window)
  const discovery = createDiscovery({ store, clock, tokens: keys.tokens, keyring, protocolWindow }, settings)
  const ending = createUploadEnding({ store, clock, quota, writers, onDeleting })
  const signerOf = keyring.openAttestationKey
  const landTogether = createLandDrops({ ending })
  return {
    nodeId: nodeId ?? 'the only process',
    alarm,
    store,
    positions: createPositions({ store, random }),
    quota,
    writers,
    ending,
    staged: createStagedBytes({ store, objects, staging }),
    protocolWindow,
    discovery,
    receiptLog: createReceiptLog({ store, clock, serverId, headWatch, signerOf, landTogether }),
    notifier: createNotifier({
      store,
      clock,
      random,
      keyring,
      messenger: ports.messenger,
      limiter: ports.limiter,
      log: ports.log,
    }),
  }
}

type FileRules = ReturnType<typeof createFileRules>

/** Links, uploads, drops, assets, shares, and the custody of their bytes. */
function createFileRules(ports: RulePorts, settings: RuleSettings, base: Base) {
  const { staging, objects, clock, random, limiter, giveUpAfter } = ports
  const { store, quota, writers, staged, receiptLog, ending, protocolWindow, notifier, nodeId } = base
  const room = createRoom({ staging, clock }, settings)
  const rowBudget = createRowBudget({ limiter, room }, settings)
  const inboxRoom = createInboxRoom(settings)
  const notices = createOwnerNotices({ store, clock, limiter, notifier }, settings)
  const opened = createOpenedSessions({ limiter, serverSecret: ports.keys.serverSecret }, settings)
  const scrub = createScrubber({ store, objects, staging, clock, log: ports.log, isServer: true }, settings)
  const reportDamage = async (location: string) => {
    // The verdict is no all the same, and the scrubber reads the object when it is due.
    await scrub.suspect(location).catch((error: unknown) => ports.log.error('damage could not be noted', { error }))
    ports.onSuspect()
  }
  const serving = createServing({ objects, reportDamage })
  const bin = createBin({ store, serving, clock, quota, hasInboxPlace: inboxRoom.hasPlaceBack }, settings)
  const assetBlobs = createAssetBlobs({ quota, ending, bin })
  const assets = createAssets({ store, serving, clock, assetBlobs })
  const checkProvenance = createCheckProvenance({ store, objects })
  const landing = createLanding({
    store,
    random,
    receiptLog,
    opened,
    notifier,
    assetBlobs,
    checkProvenance,
    rowBudget,
  })
  const finishing = createFinishing({ store, staging, clock, staged, ending, landing, nodeId, giveUpAfter })
  const linkRefusals = createLinkRefusals({ store, clock, notifier })
  const links = createLinks(
    { store, clock, ending, quota, inboxRoom, refusals: linkRefusals },
    { ...settings, protocolVersion: () => protocolWindow.current().max },
  )
  const refusedDrops = createRefusedDrops({ store, clock, quota, inboxRoom, notices, refusals: linkRefusals })
  const { keyedBytes, log } = ports
  const parts = keyedBytes && createParts({ store, staging, keyedBytes, clock, log, reportDamage }, settings)
  return {
    rowBudget,
    finishing,
    links,
    linkRefusals,
    refusedDrops,
    notices,
    assets,
    retainAssets: createRetainAssets({ store, clock, rowBudget }, settings),
    scrub,
    serving,
    parts,
    chunks: createChunks({ store, staging, room, clock, writers, staged, finishing, landing }),
    drops: createDrops(
      {
        ...{ store, room, clock, random, limiter, links, quota, writers, ending, opened, notices, inboxRoom },
        refusals: linkRefusals,
        refusedDrops,
      },
      settings,
    ),
    uploads: createUploads({ store, serving, room, clock, random, quota }, settings),
    adopt: createAdopt({ store, serving, clock, random, receiptLog, assetBlobs, nodeId, giveUpAfter }, settings),
    verify: createVerify({ store, objects, clock, limiter, seats: ports.seats, giveUpAfter, reportDamage }, settings),
    bin,
    inbox: createInbox({ store, serving, clock, quota, bin }),
    albums: createAlbums({ store, clock }),
    shares: createShares({ store, serving, clock, limiter, log }, settings),
  }
}

/** Accounts, and how their owners sign in. */
function createAccountRules(ports: RulePorts, settings: RuleSettings, parts: Base & FileRules) {
  const { clock, random, limiter, keyring, messenger, giveUpAfter, onDeleted } = ports
  const { store, inbox, assets, bin, ending } = parts
  const { tokens, serverSecret } = ports.keys
  const sessions = createSessions({ store, clock, random, tokens, serverSecret }, settings)
  const entrance = { store, clock, random, limiter, sessions, serverSecret }
  const accounts = createAccounts(entrance, settings)
  const recovery = createRecovery(entrance, settings)
  const applyRecovery = recovery.apply
  const codes = createFactorCodes({ clock, limiter, keyring, serverSecret }, settings)
  return {
    sessions,
    proofs: createProofs({ clock, random, serverSecret }, settings),
    accounts,
    recovery,
    changePassword: createChangePassword({ store, clock, accounts, codes }),
    recoveryWords: createRecoveryWords({ store, clock, limiter, accounts, codes }, settings),
    accountDeletion: createAccountDeletion({ store, clock, accounts, codes, inbox, assets, bin, ending, onDeleted }),
    secondFactor: createSecondFactor({ store, clock, random, accounts, codes, sessions, applyRecovery }, settings),
    passkeys: createPasskeys({ store, clock, limiter, accounts, codes, sessions }, settings),
    invites: createInvites({ store, clock, random }),
    devices: createDevices({ store, clock, limiter }),
    channels: createChannels({ store, clock, random, limiter, keyring, messenger, giveUpAfter }),
    capabilities: createCapabilities({ store, clock, random, tokens }, settings),
  }
}
