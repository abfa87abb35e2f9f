import {
  type AccountId,
  type AlbumId,
  type AssetId,
  type ChannelId,
  type DeviceId,
  type DropId,
  type Instant,
  instantOf,
  type KeyId,
  type OpaqueId,
  type PasskeyId,
  parseAccountId,
  parseAlbumId,
  parseAssetId,
  parseChannelId,
  parseDeviceId,
  parseDropId,
  parseKeyId,
  parseOpaqueId,
  parsePasskeyId,
  parseProtocolVersion,
  parseSessionId,
  parseSha256Hex,
  parseUploadId,
  type SessionId,
  type Sha256Hex,
  type UploadId,
} from '@blindkeep/protocol/ids'
import { linkCapsOf } from '@blindkeep/protocol/schemas/links'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type {
  AdoptedDrop,
  Album,
  AssetBlob,
  BinEntry,
  Claim,
  Drop,
  NewAccount,
  NewAsset,
  NewAssetUpload,
  NewDevice,
  NewDropUpload,
  NewLink,
  NewPasskey,
  NotedEvent,
  ReadTx,
  ReceiptRow,
  Session,
  Store,
  StoredObject,
  WriteTx,
} from '../../ports/store.ts'

/** One adapter over an empty store of its own. */
export interface StoreWorld {
  readonly store: Store
  /** Closes the last opened store and opens its data as a new process does. Absent if closing leaves none. */
  readonly reopen?: () => Promise<Store>
  close(): Promise<void>
}

/** Makes a test of `work`: opens an empty store for it, and closes the store afterwards. */
export type InStore = (work: (store: Store) => Promise<void>) => () => Promise<void>

/** The instant so many seconds after the start of these tests. */
export function at(seconds: number): Instant {
  return instantOf(Date.UTC(2026, 5, 1) + seconds * 1000)
}

/** Ids by number, so that a test can name the same thing twice. */
export const accountId = (number: number): AccountId => known(parseAccountId(uuid(number)))
export const sessionId = (number: number): SessionId => known(parseSessionId(uuid(number)))
export const deviceId = (number: number): DeviceId => known(parseDeviceId(uuid(number)))
export const albumId = (number: number): AlbumId => known(parseAlbumId(uuid(number)))
export const assetId = (number: number): AssetId => known(parseAssetId(uuid(number)))
export const passkeyId = (number: number): PasskeyId => known(parsePasskeyId(uuid(number)))
export const channelId = (number: number): ChannelId => known(parseChannelId(uuid(number)))
export const uploadId = (number: number): UploadId => known(parseUploadId(uuid(number)))
export const dropId = (number: number): DropId => known(parseDropId(uuid(number)))
export const opaqueId = (number: number): OpaqueId => known(parseOpaqueId(hex(number, 32)))
export const hash = (number: number): Sha256Hex => known(parseSha256Hex(hex(number, 64)))
export const keyId = (number: number): KeyId => known(parseKeyId(hex(number, 64)))

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A sample of these tests is malformed')
  return value
}

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${hex(number, 12)}`
}

function hex(number: number, length: number): string {
  return number.toString(16).padStart(length, '0')
}

export function bytes(length: number, value = 7): Uint8Array {
  return new Uint8Array(length).fill(value)
}

type KeyedAccount = NewAccount & { readonly signInKeyHash: Uint8Array }

export function account(number: number, given: Partial<KeyedAccount> = {}): KeyedAccount {
  return {
    accountId: accountId(number),
    email: `owner-${number}@example.org`,
    signInKeyHash: bytes(32, 9),
    kdfVersion: 1,
    salt: bytes(16, number),
    sealedAccountKey: undefined,
    sealedRecoveryKey: undefined,
    recoveryKeyHash: undefined,
    createdAt: at(0),
    ...given,
  }
}

export function session(number: number, given: Partial<Session> = {}): Session {
  return {
    sessionId: sessionId(number),
    accountId: accountId(1),
    deviceId: undefined,
    passkeyId: undefined,
    createdAt: at(0),
    lastUsedAt: at(0),
    expiresAt: at(1_000),
    endedAt: undefined,
    ...given,
  }
}

export function passkey(number: number, given: Partial<NewPasskey> = {}): NewPasskey {
  return {
    passkeyId: passkeyId(number),
    accountId: accountId(1),
    credentialId: bytes(16, number),
    keyHash: bytes(32, number),
    sealedPasskeyKey: bytes(1200),
    sealedName: undefined,
    createdAt: at(0),
    ...given,
  }
}

export function device(number: number, given: Partial<NewDevice> = {}): NewDevice {
  return {
    deviceId: deviceId(number),
    accountId: accountId(1),
    publicKey: bytes(1984, number),
    mac: undefined,
    createdAt: at(number),
    ...given,
  }
}

export function album(number: number, given: Partial<Album> = {}): Album {
  return { albumId: albumId(number), accountId: accountId(1), sealedName: undefined, createdAt: at(number), ...given }
}

export function link(number: number, given: Partial<NewLink> = {}): NewLink {
  return {
    opaqueId: opaqueId(number),
    accountId: accountId(1),
    dropPublicKey: bytes(1216, number),
    suiteId: 1,
    protocolVersion: known(parseProtocolVersion('2026-11-01')),
    verifierHash: undefined,
    sealedLabel: undefined,
    sealedTitle: undefined,
    createdAt: at(number),
    expiresAt: undefined,
    ...linkCapsOf({}),
    singleUse: false,
    ...given,
  }
}

export function upload(number: number, given: Partial<NewDropUpload> = {}): NewDropUpload {
  return {
    uploadId: uploadId(number),
    accountId: accountId(1),
    opaqueId: opaqueId(1),
    size: 100,
    ciphertextHash: hash(number),
    contentType: 'application/octet-stream',
    kemCt: bytes(1120, number),
    suggestedFilename: undefined,
    idempotencyKey: undefined,
    opener: undefined,
    declarationHash: hash(1_000 + number),
    location: `00/${hash(number)}.${uploadId(number)}`,
    createdAt: at(0),
    ...given,
  }
}

export function envelope(number: number, given: Partial<ManifestEnvelope> = {}): ManifestEnvelope {
  return {
    crypto_suite_id: 1,
    protocol_version: known(parseProtocolVersion('2026-11-01')),
    file_id: assetId(1),
    amk_version: 1,
    ciphertext_hash: hash(number),
    plaintext_size: 90,
    chunk_size: 1_048_560,
    key_mode: 'derived',
    created_by_user: accountId(1),
    created_by_device: deviceId(1),
    client_version: 'contract/1',
    timestamp: '2026-06-01T00:00:00Z',
    action: 'create',
    ...given,
  }
}

export function assetUpload(number: number, given: Partial<NewAssetUpload> = {}): NewAssetUpload {
  return {
    uploadId: uploadId(number),
    accountId: accountId(1),
    assetId: assetId(1),
    albumId: albumId(1),
    role: 'derivative',
    size: 100,
    ciphertextHash: hash(number),
    contentType: 'application/octet-stream',
    envelope: envelope(number),
    sessionId: undefined,
    declarationHash: hash(1_000 + number),
    location: `00/${hash(number)}.${uploadId(number)}`,
    createdAt: at(0),
    ...given,
  }
}

export function asset(number: number, given: Partial<NewAsset> = {}): NewAsset {
  return { assetId: assetId(number), accountId: accountId(1), albumId: albumId(1), ...given }
}

/** At the location of the object with the same number. */
export function assetBlob(number: number, given: Partial<AssetBlob> = {}): AssetBlob {
  return {
    assetId: assetId(1),
    role: 'derivative',
    ciphertextHash: hash(number),
    size: 100,
    contentType: 'application/octet-stream',
    location: object(number).location,
    uploadId: uploadId(number),
    envelope: envelope(number),
    landedAt: at(0),
    retainedUntil: undefined,
    pendingAfter: undefined,
    ...given,
  }
}

export function adoptedDrop(number: number): AdoptedDrop {
  return { dropId: dropId(number), opaqueId: opaqueId(1), kemCt: bytes(1120, number), receivedAt: at(number) }
}

/** A claim of drop 1, with a request that differs by number. */
export function claim(number: number, given: Partial<Claim> = {}): Claim {
  return {
    dropId: dropId(1),
    claimId: uuid(1_000 + number),
    requestHash: hash(number),
    by: 'one process',
    at: at(0),
    leasedUntil: at(60),
    ...given,
  }
}

export function drop(number: number, given: Partial<Drop> = {}): Drop {
  return {
    dropId: dropId(number),
    accountId: accountId(1),
    opaqueId: opaqueId(1),
    uploadId: uploadId(number),
    ciphertextHash: hash(number),
    size: 100,
    contentType: 'image/png',
    kemCt: bytes(1120, number),
    suggestedFilename: undefined,
    location: `00/${hash(number)}.${uploadId(number)}`,
    receivedAt: at(0),
    leasedUntil: undefined,
    ...given,
  }
}

/** A drop in the bin. */
export function binnedDrop(number: number, given: Partial<BinEntry> = {}): BinEntry {
  return {
    accountId: accountId(1),
    entryId: dropId(number),
    size: 100,
    deletedAt: at(number),
    removed: { drop: drop(number) },
    ...given,
  }
}

export function object(number: number, given: Partial<StoredObject> = {}): StoredObject {
  return { location: `00/${hash(number)}.${uploadId(number)}`, size: 100, state: 'staged', since: at(0), ...given }
}

export function event(changeSeq: number, given: Partial<NotedEvent> = {}): NotedEvent {
  return { accountId: accountId(1), changeSeq, at: at(changeSeq), change: { name: 'quota.changed' }, ...given }
}

export function receipt(receiptSeq: number, given: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    receiptSeq,
    receiptHash: hash(receiptSeq),
    receiptCbor: bytes(4_200, receiptSeq),
    keyId: keyId(1),
    uploadId: uploadId(receiptSeq),
    dropId: dropId(receiptSeq),
    assetId: undefined,
    receivedAt: at(receiptSeq),
    ...given,
  }
}

/** Accounts 1 and 2, with link 1 of account 1 and link 2 of account 2. */
export async function seed(store: Store): Promise<void> {
  await store.write([], async (tx) => {
    await tx.accounts.insert(account(1))
    await tx.accounts.insert(account(2))
    await tx.links.insert(link(1))
    await tx.links.insert(link(2, { accountId: accountId(2) }))
  })
}

/** The same, with album 1 of account 1 and album 2 of account 2. */
export async function seedWithAlbums(store: Store): Promise<void> {
  await seed(store)
  await store.write([], async (tx) => {
    await tx.albums.insert(album(1))
    await tx.albums.insert(album(2, { accountId: accountId(2) }))
  })
}

/** A row of each noun: on them every question of `questions.ts` succeeds. */
export async function insertEach(tx: WriteTx): Promise<void> {
  await tx.accounts.insert(account(1))
  await tx.devices.insert(device(1))
  await tx.passkeys.insert(passkey(1))
  await tx.albums.insert(album(1))
  await tx.links.insert(link(1))
  await tx.uploads.insert(upload(1))
  await tx.drops.insert(drop(1))
  await tx.bin.insert(binnedDrop(9))
  await tx.assets.reserve(asset(1))
  await tx.assets.addBlob(assetBlob(1))
}

/** The answers of `count` simultaneous writes. */
export async function atOnce<Result>(
  store: Store,
  count: number,
  work: (tx: WriteTx, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  return await Promise.all(Array.from({ length: count }, (_, index) => store.write([], (tx) => work(tx, index))))
}

export function countTrue(answers: readonly boolean[]): number {
  return answers.filter((answer) => answer).length
}

const MAX_PENDING = 1000

/** The pending drops of an account, oldest first. */
export async function pendingDrops(tx: ReadTx, accountId: AccountId): Promise<readonly Drop[]> {
  const { rows, next } = await tx.drops.page(accountId, { max: MAX_PENDING })
  if (next !== undefined) throw new RangeError(`more than ${MAX_PENDING} drops are pending`)
  return rows
}
