/** The owner's side: a client that holds the account key. Each topic has a module; this one assembles them. */
import { type Bytes, fromHex } from '@blindkeep/protocol/bytes'
import {
  type AccountId,
  type AssetId,
  formatInstant,
  type Instant,
  instantIn,
  LAST_INSTANT,
} from '@blindkeep/protocol/ids'
import type { ServerInfoResponse } from '@blindkeep/protocol/schemas/discovery'
import type { QuotaResponse } from '@blindkeep/protocol/schemas/quota'
import { createOwnerAccount, type OwnerAccount } from './account/ownerAccount.ts'
import { createOwnerCapabilities, type OwnerCapabilities } from './account/ownerCapabilities.ts'
import { createOwnerChannels, type OwnerChannels } from './account/ownerChannels.ts'
import { createOwnerDevices, type OwnerDevices } from './account/ownerDevices.ts'
import { createOwnerPasskeys, type OwnerPasskeys } from './account/ownerPasskeys.ts'
import { createOwnerPassword, type OwnerPassword } from './account/ownerPassword.ts'
import { createOwnerRecovery, type OwnerRecovery } from './account/ownerRecovery.ts'
import { createOwnerSecondFactor, type OwnerSecondFactor } from './account/ownerSecondFactor.ts'
import { createOwnerSessions, type OwnerSessions } from './account/ownerSessions.ts'
import { createKnownDevices } from './assets/knownDevices.ts'
import { createKnownPrefixes } from './assets/knownPrefixes.ts'
import { createOwnerAlbums, type OwnerAlbums } from './assets/ownerAlbums.ts'
import { createOwnerAssets, type OwnerAssets } from './assets/ownerAssets.ts'
import { createOwnerBin, type OwnerBin } from './bin/ownerBin.ts'
import { type LinkKeys, linkKeysOf } from './drops/dropKeys.ts'
import { createOwnerInbox, type OwnerInbox } from './drops/ownerInbox.ts'
import { createOwnerLinks, type OwnerLinks } from './drops/ownerLinks.ts'
import { type Environment, systemEnvironment } from './ground/environment.ts'
import { addressOf, type ServerAddress } from './http/baseUrl.ts'
import { createCalls } from './http/call.ts'
import type { Session, TokenPair } from './http/session.ts'
import type { OwnerFileProofs } from './opening/ownerFileProofs.ts'
import { createOwnerShares, type OwnerShares } from './share/ownerShares.ts'
import { createOwnerSync, type OwnerSync, presentAssets } from './sync/ownerSync.ts'
import { createOwnerSignedLately, type OwnerSignedLately } from './sync/signedLately.ts'
import { type MoveAsset, moveAsset } from './transfer/moveAsset.ts'
import { createOwnerThumbnails, type OwnerThumbnails } from './upload/ownerThumbnails.ts'
import { createOwnerUploads, type OwnerUploads } from './upload/ownerUploads.ts'
import { createOwnerVerification, type OwnerVerification } from './verify/ownerVerification.ts'

export type { AccountFacts, RefusedDrops } from './account/ownerAccount.ts'
export type { MintCapability, MintedCapability, OwnCapability } from './account/ownerCapabilities.ts'
export type {
  AddBrowser,
  AddChannel,
  AddedChannel,
  ChannelKind,
  ChannelState,
  DeliveryFault,
  OwnChannel,
  OwnChannels,
} from './account/ownerChannels.ts'
export type { AddDevice, ListedDevice } from './account/ownerDevices.ts'
export type { MadePasskey, OwnPasskey, PreparedPasskey } from './account/ownerPasskeys.ts'
export type { ChangePassword } from './account/ownerPassword.ts'
export type { ChangeRecoveryWords } from './account/ownerRecovery.ts'
export type { NameThisClient, OwnSession } from './account/ownerSessions.ts'
export type { RevocationStore, Revocations } from './account/seenRevocations.ts'
export type { AssetFacts } from './assets/assetFacts.ts'
export type { AssetDescription } from './assets/describeAsset.ts'
export type { PrefixStore } from './assets/knownPrefixes.ts'
export type { OpenedAsset } from './assets/openAsset.ts'
export type { Album } from './assets/ownerAlbums.ts'
export type { RetainedAssets } from './assets/ownerAssets.ts'
export { MAX_THUMBNAIL_BYTES } from './assets/thumbnail.ts'
export type { AssetPermissions } from './assets/vouchedAsset.ts'
export type { BinEntry, BinItem } from './bin/ownerBin.ts'
export { announcedCount, type BatchGroup, batchGroupsOf } from './drops/batchGroups.ts'
export { isSameDrop } from './drops/inboxDrop.ts'
export type {
  DescribedDrop,
  DropFacts,
  FileDescription,
  InboxItem,
  OpenedDrop,
} from './drops/ownerInbox.ts'
export type { ChangeLink, CreatedLink, CreateLink, LinkCaps, NewLinkCaps, OwnLink } from './drops/ownerLinks.ts'
export { DEFAULT_FILES, DEFAULT_TOTAL_BYTES } from './drops/ownerLinks.ts'
export type { TokenPair } from './http/session.ts'
export type { AssetProof } from './opening/ownerFileProofs.ts'
export type { Batch } from './seal/batch.ts'
export { createSendTurns, type SendTurns } from './send/sendTurns.ts'
export type {
  CreatedShare,
  CreateShare,
  OwnShare,
  RefreshedShare,
  RefreshedShares,
  ShareSummary,
  ShareVisits,
  ShowingShare,
} from './share/ownerShares.ts'
export type { Change, ChangePage, LiveEvent } from './sync/ownerSync.ts'
export type { LatelySigned, SignedLately, SignedLatelyOptions } from './sync/signedLately.ts'
export { type AssetMoveState, parseAssetMoveState } from './transfer/moveAsset.ts'
export type { IncompleteAsset } from './upload/completeAsset.ts'
export type { PictureOf } from './upload/ownerThumbnails.ts'
export type { UploadOptions } from './upload/ownerUploads.ts'
export type { UploadProgress } from './upload/sendBundle.ts'
export { parseUploadState, type UploadState } from './upload/uploadState.ts'

export interface Quota {
  /** Bytes that count against the limits. */
  readonly used: number
  /** Those of them that emptying the bin frees. */
  readonly bin: number
  readonly softLimit: number | undefined
  readonly hardLimit: number | undefined
  readonly state: QuotaResponse['state']
}

export interface Owner
  extends OwnerLinks,
    OwnerInbox,
    OwnerDevices,
    OwnerAlbums,
    OwnerCapabilities,
    OwnerChannels,
    OwnerUploads,
    OwnerAssets,
    OwnerBin,
    OwnerVerification,
    OwnerAccount,
    OwnerSessions,
    OwnerPasskeys,
    OwnerPassword,
    OwnerRecovery,
    OwnerSecondFactor,
    OwnerShares,
    OwnerSync,
    OwnerSignedLately,
    OwnerThumbnails,
    OwnerFileProofs {
  /** Copies a file into another album, verifies the copy deeply, and deletes the first one. See `moveAsset`. */
  moveAsset(options: MoveAsset): Promise<AssetId>
  readonly accountId: AccountId
  /** Normalised; as the owner typed it, never as the server names it. Store it with a session that is to be resumed. */
  readonly email: string
  /** 32 bytes, SECRET: it opens everything in the account. */
  readonly accountKey: Bytes
  /** SECRET. */
  tokens(): TokenPair
  /** What the server says about itself, unverified: do not follow the addresses in it (`http/ownAddress.ts`). */
  serverInfo(): Promise<ServerInfoResponse>
  quota(): Promise<Quota>
  /** What time it is at the server, by its last answer. What ends, ends by its clock. */
  now(): Instant
  /** RFC 3339: so many seconds from now by the server's clock. Asks the server if it has not answered yet. */
  endIn(seconds: number): Promise<string>
  /** Ends the session on the server; its tokens are invalid afterwards. */
  logOut(): Promise<void>
}

export interface OpenOwner extends ServerAddress {
  /** The owner's, normalised. */
  readonly email: string
  readonly accountKey: Bytes
  readonly session: Session
  readonly environment?: Environment | undefined
}

/** For an existing account key and session. Applications use `registerOwner`, `logIn`, `resumeOwner` or `recover`. */
export function openOwner(options: OpenOwner): Owner {
  const { email, accountKey, session, environment = systemEnvironment } = options
  const { fetch, now } = environment
  const calls = createCalls({ ...addressOf(options), fetch, now, tokens: session })
  const { call, clock } = calls
  const { accountId } = session.current()
  const keysOf = keyCache(accountKey)
  const devices = createOwnerDevices({ call, clock, accountKey, environment })
  const prefixes = createKnownPrefixes()
  const assetPorts = { ...calls, accountId, accountKey, keysOf, devices: devices.devices, environment, prefixes }
  const known = createKnownDevices(assetPorts)
  const bin = createOwnerBin(assetPorts, known)
  const thumbnails = createOwnerThumbnails(assetPorts, known)

  return {
    ...createOwnerLinks({ calls, accountKey, keysOf, environment }),
    ...createOwnerInbox({ call, keysOf, environment, prefixes }),
    ...devices,
    async revokeDevice(deviceId) {
      await devices.revokeDevice(deviceId)
      known.forget()
    },
    ...createOwnerAlbums({ call, accountKey, environment }),
    ...createOwnerCapabilities({ call }),
    ...createOwnerChannels({ call, accountKey, environment }),
    ...createOwnerUploads(assetPorts),
    ...createOwnerAssets(assetPorts, known),
    ...bin,
    ...createOwnerVerification(assetPorts),
    async proveAsset(asset, options) {
      // Most owners never ask for a proof.
      const { proveAsset } = await import('./opening/ownerFileProofs.ts')
      return await proveAsset(assetPorts, asset, options)
    },
    ...createOwnerAccount({ call, email }),
    ...createOwnerSessions({ call, accountKey, devices }),
    ...createOwnerPasskeys({ calls, email, accountId, accountKey, environment }),
    ...createOwnerPassword({ calls, email, accountKey, environment }),
    ...createOwnerRecovery({ calls, email, accountKey, environment }),
    ...createOwnerSecondFactor({ calls, email, environment }),
    ...createOwnerShares(assetPorts, (signal) => presentAssets(call, signal)),
    ...createOwnerSync({ call, environment }),
    ...createOwnerSignedLately(assetPorts),
    ...thumbnails,
    moveAsset: (options) => moveAsset({ ...assetPorts, bin: bin.bin, thumbnails }, options),
    accountId,
    email,
    accountKey,
    tokens: session.current,
    serverInfo: async () => (await call('serverInfo')).body,
    quota: async () => {
      const { body } = await call('quota')
      const { used, soft_limit: softLimit, hard_limit: hardLimit, state } = body
      return { used, bin: body.bin ?? 0, softLimit: softLimit ?? undefined, hardLimit: hardLimit ?? undefined, state }
    },
    now: clock.now,
    endIn: async (seconds) => {
      if (!clock.hasAnswered()) await call('version')
      return formatInstant(instantIn(clock.now() + seconds * 1000) ?? LAST_INSTANT)
    },
    logOut: async () => {
      await call('logout')
    },
  }
}

/** Deriving an X-Wing key pair takes some milliseconds, and an inbox needs the same ones again and again. */
function keyCache(accountKey: Bytes): (opaqueId: string) => LinkKeys {
  const keys = new Map<string, LinkKeys>()
  return (opaqueId) => {
    const known = keys.get(opaqueId)
    if (known !== undefined) return known
    const made = linkKeysOf(accountKey, fromHex(opaqueId))
    keys.set(opaqueId, made)
    return made
  }
}
