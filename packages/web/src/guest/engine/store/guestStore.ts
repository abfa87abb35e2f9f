/** What outlives the tab: unfinished and planned uploads, the guest's message, landed files, servers' keys. */
import type { Batch, SendState } from '@blindkeep/client/guest'
import { type DropCustody, joinPins, type PinnedKeys } from '@blindkeep/client/receipts'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { Message } from '../../ground/messages.ts'
import type { FileIdentity } from '../files/fileIdentity.ts'

/** The server deletes an upload a day after its last chunk; a few days more let the page say so. */
const UPLOAD_MAX_AGE_MS = 7 * 86_400_000
/** Long enough for the guest to look again, short enough for a computer that others use too. */
const LANDED_MAX_AGE_MS = 86_400_000

export interface StoredUpload extends FileIdentity {
  readonly id: string
  /** Names the link and its server. */
  readonly linkId: string
  /** SECRET: it opens the file. */
  readonly state: SendState
  /** Milliseconds since 1970. */
  readonly keptAt: number
  /** Sealed bytes that the server has acknowledged. */
  readonly sentBytes: number
}

/** A file that the guest has asked to send and that was not begun. Only so that a later visit can ask for it again. */
export interface PlannedFile extends FileIdentity {
  readonly id: string
  readonly linkId: string
  /** The visit in which the file was chosen. While its tab is open, that tab has the lock of this name. */
  readonly visitId: string
  /** Milliseconds since 1970. */
  readonly keptAt: number
  /** Its place in the go. Absent if the link had no room for it. */
  readonly batch?: Batch | undefined
}

/** What the guest has written, sent or not. */
export interface StoredMessage extends Message {
  readonly linkId: string
  /** Milliseconds since 1970. */
  readonly keptAt: number
}

/** Contains no key. */
export interface LandedFile extends FileIdentity {
  readonly id: string
  readonly linkId: string
  /** Milliseconds since 1970. */
  readonly landedAt: number
  readonly custody: DropCustody
  /** The link took one file, and this is it. */
  readonly usedUpLink?: true | undefined
  /** Present once it was fetched and checked. */
  readonly receipt?: AssetReceipt | undefined
}

export interface PlannedChange {
  readonly put: readonly PlannedFile[]
  /** Ids. */
  readonly remove: readonly string[]
}

/** A resolved write is as durable as browsers allow. Nothing throws: see `isPersistent` for a store without memory. */
export interface GuestStore {
  /** Whether its content is still there after a reload. */
  readonly isPersistent: boolean
  uploads(linkId: string): Promise<readonly StoredUpload[]>
  /** The file is not planned any more, in the same step. */
  putUpload(upload: Omit<StoredUpload, 'sentBytes'>): Promise<void>
  putSentBytes(id: string, bytes: number): Promise<void>
  removeUpload(id: string): Promise<void>
  planned(linkId: string): Promise<readonly PlannedFile[]>
  /** Adds and deletes in one step. */
  changePlanned(change: PlannedChange): Promise<void>
  message(linkId: string): Promise<Message | undefined>
  putMessage(message: StoredMessage): Promise<void>
  removeMessage(linkId: string): Promise<void>
  /** Deletes the upload with its keys, or the planned file, and adds the landed file, in one step. */
  land(file: LandedFile): Promise<void>
  landed(linkId: string): Promise<readonly LandedFile[]>
  /** Does nothing when the file is no longer stored. */
  putReceipt(id: string, receipt: AssetReceipt): Promise<void>
  forgetLanded(linkId: string): Promise<void>
  /** The keys of the server at this URL; their `serverId` is its origin. */
  pins(serverUrl: string): Promise<PinnedKeys | undefined>
  /** Rejects with `AuditError` when the stored keys are not of the same list; ignores a failure of the browser. */
  putPins(pins: PinnedKeys): Promise<void>
  /** Deletes what is too old. `nowMs` is milliseconds since 1970. */
  sweep(nowMs: number): Promise<void>
  /** Calls the listener whenever another tab has changed uploads or landed files. */
  onOtherTab(listener: () => void): void
}

export function isUploadExpired({ keptAt }: Pick<StoredUpload, 'keptAt'>, nowMs: number): boolean {
  return nowMs - keptAt > UPLOAD_MAX_AGE_MS
}

/**
 * `isGoOpen`: files of the link are unfinished or planned. Then landed ones still count, so that a folder that is
 * chosen again is not sent twice. The clock may have been ahead then.
 */
export function isLandedExpired({ landedAt }: Pick<LandedFile, 'landedAt'>, nowMs: number, isGoOpen: boolean): boolean {
  return Math.abs(nowMs - landedAt) > (isGoOpen ? UPLOAD_MAX_AGE_MS : LANDED_MAX_AGE_MS)
}

/** The message is needed as long as files that it goes with are unfinished or planned. */
export function isMessageExpired({ keptAt }: StoredMessage, nowMs: number, isGoOpen: boolean): boolean {
  return isLandedExpired({ landedAt: keptAt }, nowMs, isGoOpen)
}

/** For a browser that refuses to store anything: nothing outlives the tab. */
export function createMemoryStore(): GuestStore {
  const uploads = new Map<string, StoredUpload>()
  const planned = new Map<string, PlannedFile>()
  const messages = new Map<string, StoredMessage>()
  const landed = new Map<string, LandedFile>()
  const pins = new Map<string, PinnedKeys>()
  return {
    isPersistent: false,
    uploads: async (linkId) => [...uploads.values()].filter((upload) => upload.linkId === linkId),
    async putUpload(upload) {
      planned.delete(upload.id)
      uploads.set(upload.id, { ...upload, sentBytes: uploads.get(upload.id)?.sentBytes ?? 0 })
    },
    async putSentBytes(id, bytes) {
      const upload = uploads.get(id)
      if (upload !== undefined) uploads.set(id, { ...upload, sentBytes: bytes })
    },
    async removeUpload(id) {
      uploads.delete(id)
    },
    planned: async (linkId) => [...planned.values()].filter((file) => file.linkId === linkId),
    async changePlanned({ put, remove }) {
      for (const file of put) planned.set(file.id, file)
      for (const id of remove) planned.delete(id)
    },
    message: async (linkId) => messages.get(linkId),
    async putMessage(message) {
      messages.set(message.linkId, message)
    },
    async removeMessage(linkId) {
      messages.delete(linkId)
    },
    async land(file) {
      uploads.delete(file.id)
      planned.delete(file.id)
      landed.set(file.id, file)
    },
    landed: async (linkId) => [...landed.values()].filter((file) => file.linkId === linkId),
    async putReceipt(id, receipt) {
      const file = landed.get(id)
      if (file !== undefined) landed.set(id, { ...file, receipt })
    },
    async forgetLanded(linkId) {
      for (const file of landed.values()) if (file.linkId === linkId) landed.delete(file.id)
    },
    pins: async (serverUrl) => pins.get(new URL(serverUrl).origin),
    async putPins(keys) {
      pins.set(keys.serverId, joinPins(pins.get(keys.serverId), keys))
    },
    async sweep(nowMs) {
      for (const upload of uploads.values()) if (isUploadExpired(upload, nowMs)) uploads.delete(upload.id)
      for (const file of planned.values()) if (isUploadExpired(file, nowMs)) planned.delete(file.id)
      const open = new Set([...uploads.values(), ...planned.values()].map(({ linkId }) => linkId))
      for (const file of landed.values())
        if (isLandedExpired(file, nowMs, open.has(file.linkId))) landed.delete(file.id)
      for (const message of messages.values())
        if (isMessageExpired(message, nowMs, open.has(message.linkId))) messages.delete(message.linkId)
    },
    onOtherTab: () => undefined,
  }
}
