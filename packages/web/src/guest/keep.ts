/** What outlives the tab: uploads that are not finished, files that landed, and the keys of servers. */
import type { SendState } from '@blindkeep/client/guest'
import type { DropCustody, PinnedKeys } from '@blindkeep/client/receipts'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { FileIdentity } from './entries.ts'

/** An upload keeps its session on the server for a day after its last chunk; nothing can be gone on with long after that. */
export const UPLOAD_KEPT_MS = 7 * 86_400_000
/** Long enough that nobody is left in doubt, short enough for a computer that others use too. */
export const LANDED_KEPT_MS = 86_400_000

export interface KeptUpload extends FileIdentity {
  readonly id: string
  /** Which link of which server. */
  readonly linkId: string
  /** SECRET: it opens the file. */
  readonly state: SendState
  /** Milliseconds since 1970. */
  readonly keptAt: number
  /** Sealed bytes that the server has acknowledged. */
  readonly reached: number
}

/** Without any key. */
export interface LandedFile extends FileIdentity {
  readonly id: string
  readonly linkId: string
  /** Milliseconds since 1970. */
  readonly landedAt: number
  readonly custody: DropCustody
  /** Once it was fetched and checked, with what it was checked against. */
  readonly receipt?: AssetReceipt | undefined
}

/** Everything is durable, as far as the browser goes, when the promise resolves. Nothing throws: who keeps nothing says so in `isLasting`. */
export interface Keep {
  /** Whether what is kept is there after a reload. */
  readonly isLasting: boolean
  uploads(linkId: string): Promise<readonly KeptUpload[]>
  putUpload(upload: Omit<KeptUpload, 'reached'>): Promise<void>
  putReached(id: string, bytes: number): Promise<void>
  removeUpload(id: string): Promise<void>
  /** In one step: the upload with its keys goes, the landed file is there. */
  land(file: LandedFile): Promise<void>
  landed(linkId: string): Promise<readonly LandedFile[]>
  /** Adds what was learned of a file that is still kept. */
  putReceipt(id: string, receipt: AssetReceipt): Promise<void>
  forgetLanded(linkId: string): Promise<void>
  /** `serverId` is the origin that the keys are of. */
  pins(baseUrl: string): Promise<PinnedKeys | undefined>
  putPins(pins: PinnedKeys): Promise<void>
  /** Throws away what has run its time. `nowMs` is milliseconds since 1970. */
  sweep(nowMs: number): Promise<void>
  /** Called whenever another tab has kept or removed an upload, or has seen a file land. */
  onOtherTab(listener: () => void): void
}

/** For a browser that refuses to keep anything: nothing outlives the tab. */
export function createMemoryKeep(): Keep {
  const uploads = new Map<string, KeptUpload>()
  const landed = new Map<string, LandedFile>()
  const pins = new Map<string, PinnedKeys>()
  return {
    isLasting: false,
    uploads: async (linkId) => [...uploads.values()].filter((upload) => upload.linkId === linkId),
    async putUpload(upload) {
      uploads.set(upload.id, { ...upload, reached: uploads.get(upload.id)?.reached ?? 0 })
    },
    async putReached(id, bytes) {
      const upload = uploads.get(id)
      if (upload !== undefined) uploads.set(id, { ...upload, reached: bytes })
    },
    async removeUpload(id) {
      uploads.delete(id)
    },
    async land(file) {
      uploads.delete(file.id)
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
    pins: async (baseUrl) => pins.get(new URL(baseUrl).origin),
    async putPins(keys) {
      pins.set(keys.serverId, keys)
    },
    async sweep(nowMs) {
      for (const { id, keptAt } of uploads.values()) if (nowMs - keptAt > UPLOAD_KEPT_MS) uploads.delete(id)
      for (const { id, landedAt } of landed.values()) if (nowMs - landedAt > LANDED_KEPT_MS) landed.delete(id)
    },
    onOtherTab: () => undefined,
  }
}
