/** The owner's side: whoever holds the account key. Links, inbox, devices, albums, uploads and assets have files of their own; this one puts them together. */
import { type Bytes, fromHex } from '@blindkeep/protocol/bytes'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { ServerInfoResponse } from '@blindkeep/protocol/schemas/discovery'
import type { QuotaResponse } from '@blindkeep/protocol/schemas/quota'
import { parseBaseUrl } from './baseUrl.ts'
import { createCalls } from './call.ts'
import { type LinkKeys, linkKeysOf } from './drop.ts'
import { type Environment, systemEnvironment } from './environment.ts'
import { createOwnerAccount, type OwnerAccount } from './ownerAccount.ts'
import { createOwnerAlbums, type OwnerAlbums } from './ownerAlbums.ts'
import { createOwnerAssets, type OwnerAssets } from './ownerAssets.ts'
import { createOwnerCapabilities, type OwnerCapabilities } from './ownerCapabilities.ts'
import { createOwnerDevices, type OwnerDevices } from './ownerDevices.ts'
import { createOwnerInbox, type OwnerInbox } from './ownerInbox.ts'
import { createOwnerLinks, type OwnerLinks } from './ownerLinks.ts'
import { createOwnerPassword, type OwnerPassword } from './ownerPassword.ts'
import { createOwnerSecondFactor, type OwnerSecondFactor } from './ownerSecondFactor.ts'
import { createOwnerSessions, type OwnerSessions } from './ownerSessions.ts'
import { createOwnerShares, type OwnerShares } from './ownerShares.ts'
import { createOwnerSync, type OwnerSync } from './ownerSync.ts'
import { createOwnerThumbnails, type OwnerThumbnails } from './ownerThumbnails.ts'
import { createOwnerUploads, type OwnerUploads } from './ownerUploads.ts'
import type { Session, TokenPair } from './session.ts'

export type { AssetFacts } from './assetFacts.ts'
export type { AssetDescription } from './describeAsset.ts'
export type { AccountFacts } from './ownerAccount.ts'
export type { Album } from './ownerAlbums.ts'
export type { MintCapability, MintedCapability, OwnCapability } from './ownerCapabilities.ts'
export type { ListedDevice } from './ownerDevices.ts'
export type { DropFacts, FileDescription, InboxItem, OpenedDrop } from './ownerInbox.ts'
export type { CreatedLink, CreateLink, LinkCaps, OwnLink } from './ownerLinks.ts'
export type { ChangePassword } from './ownerPassword.ts'
export type { OwnSession } from './ownerSessions.ts'
export type { CreatedShare, CreateShare, OwnShare } from './ownerShares.ts'
export type { Change, ChangePage, LiveEvent } from './ownerSync.ts'
export type { UploadOptions } from './ownerUploads.ts'
export { PasswordWrong } from './passwordWrong.ts'
export type { TokenPair } from './session.ts'

export interface Quota {
  /** Bytes charged. */
  readonly used: number
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
    OwnerUploads,
    OwnerAssets,
    OwnerAccount,
    OwnerSessions,
    OwnerPassword,
    OwnerSecondFactor,
    OwnerShares,
    OwnerSync,
    OwnerThumbnails {
  readonly accountId: AccountId
  /** 32 bytes, SECRET: everything of the account opens with it. */
  readonly accountKey: Bytes
  /** Secret as well. */
  tokens(): TokenPair
  serverInfo(): Promise<ServerInfoResponse>
  quota(): Promise<Quota>
  /** Ends the session on the server; the tokens are worth nothing afterwards. */
  logOut(): Promise<void>
}

export interface OpenOwner {
  readonly baseUrl: string
  readonly accountKey: Bytes
  readonly session: Session
  readonly environment?: Environment | undefined
}

/** For an account key and tokens that are there already; `registerOwner` and `logIn` get them from a password. */
export function openOwner({ baseUrl, accountKey, session, environment = systemEnvironment }: OpenOwner): Owner {
  const calls = createCalls({ baseUrl, fetch: environment.fetch, tokens: session })
  const { call } = calls
  const { accountId } = session.current()
  const keysOf = keyCache(accountKey)
  const devices = createOwnerDevices({ call, accountKey, environment })
  const assetPorts = { ...calls, accountId, accountKey, keysOf, devices: devices.devices, environment }

  async function publicUrl(): Promise<string> {
    const { body } = await call('serverInfo')
    return parseBaseUrl(body.api_base_url).replace(/\/v1$/, '')
  }

  return {
    ...createOwnerLinks({ call, accountKey, keysOf, publicUrl, environment }),
    ...createOwnerInbox({ call, keysOf, environment }),
    ...devices,
    ...createOwnerAlbums({ call, accountKey, environment }),
    ...createOwnerCapabilities({ call }),
    ...createOwnerUploads(assetPorts),
    ...createOwnerAssets(assetPorts),
    ...createOwnerAccount({ call }),
    ...createOwnerSessions({ call }),
    ...createOwnerPassword({ call, accountKey, environment }),
    ...createOwnerSecondFactor({ call, environment }),
    ...createOwnerShares({ ...assetPorts, publicUrl }),
    ...createOwnerSync({ call, environment }),
    ...createOwnerThumbnails(assetPorts),
    accountId,
    accountKey,
    tokens: session.current,
    serverInfo: async () => (await call('serverInfo')).body,
    quota: async () => {
      const { body } = await call('quota')
      const { used, soft_limit: softLimit, hard_limit: hardLimit, state } = body
      return { used, softLimit: softLimit ?? undefined, hardLimit: hardLimit ?? undefined, state }
    },
    logOut: async () => {
      await call('logout')
    },
  }
}

/** Making an X-Wing key pair takes some milliseconds, and an inbox asks for the same ones again and again. */
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
