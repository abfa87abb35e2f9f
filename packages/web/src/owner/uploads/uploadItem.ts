/** One file in the upload queue, and what the queue needs to send it. */
import type { SendTrouble } from '@blindkeep/client/errors'
import type { AssetFacts, UploadProgress, UploadState } from '@blindkeep/client/owner'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'

export type UploadPhase =
  | 'waiting'
  | 'preparing'
  | 'sending'
  | 'finishing'
  | 'paused'
  | 'failed'
  /** Added before the page was loaded: pages can't store a file, so the owner must choose it again. */
  | 'file_missing'
  | 'done'

export interface UploadItem {
  readonly id: string
  /** The asset that the file becomes; undefined until it is sealed. */
  readonly assetId: AssetId | undefined
  readonly albumId: AlbumId
  readonly name: string
  /** Bytes of the file. */
  readonly size: number
  /** Milliseconds since 1970. Undefined if an older page has stored the upload without it. */
  readonly lastModified: number | undefined
  readonly phase: UploadPhase
  /** Progress of the current phase, between 0 and 1. */
  readonly share: number
  /** The upload goes on by itself. */
  readonly isRetrying: boolean
  /** Why it does not go on now. */
  readonly trouble?: SendTrouble | undefined
  /** Why the file failed, or that the chosen file is not the one that was begun. */
  readonly error: unknown
}

/** The part of a browser's `File` that the queue uses. */
export interface ChosenFile {
  readonly name: string
  readonly size: number
  readonly lastModified: number
}

/** What a new page needs to ask for the file again and to resume its upload. */
export interface StoredUpload extends Pick<UploadItem, 'id' | 'albumId' | 'name' | 'size' | 'lastModified'> {
  /** Undefined until the file is sealed. */
  readonly state: UploadState | undefined
}

export interface UploadJob<File> {
  readonly file: File
  readonly albumId: AlbumId
  /** Undefined for a new upload. */
  readonly state: UploadState | undefined
  readonly signal: AbortSignal
  readonly onState: (state: UploadState) => Promise<void>
  readonly onStep: (step: UploadProgress) => void
}

export type CompareJob<File> = Pick<UploadJob<File>, 'file' | 'signal' | 'onStep'> & { readonly state: UploadState }

export interface UploadPorts<File> {
  /** Reads the whole file. Rejects with `SendError` `file_changed` unless it is the one of the state. Sends nothing. */
  compare(job: CompareJob<File>): Promise<void>
  /** Sends one file to its end. Rejects with the signal's reason when it is paused. */
  send(job: UploadJob<File>): Promise<void>
  /** Ends an upload on the server. What has landed stays: only the owner deletes. */
  cancel(state: UploadState): Promise<void>
  /** The owner has cancelled: deletes what the server has of an upload. */
  delete(state: UploadState): Promise<void>
  /** The file is needed no longer: the server has it, or the owner has cancelled the upload. */
  release(file: File): Promise<void>
  /** The browser stores the file itself, and so also that it is to be sent. */
  isKept(file: File): boolean
  store(uploads: readonly StoredUpload[]): Promise<void>
  /** Deletes what was stored. */
  forget(id: string): Promise<void>
  newId(): string
  /** Rejects as soon as the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The chosen file is not the one that the upload was begun with. */
export class OtherFile extends Error {
  override readonly name = 'OtherFile'
}

const ACTIVE: ReadonlySet<UploadPhase> = new Set(['waiting', 'preparing', 'sending', 'finishing'])

/** Whether the upload would stop when the page closes. */
export function isActive({ phase }: Pick<UploadItem, 'phase'>): boolean {
  return ACTIVE.has(phase)
}

/**
 * Whether the asset of an upload may be finished, and so must not be deleted with the upload. What this client knows
 * comes first: once it has begun to send the signature, the server may have all of it, whatever it says. Another client
 * may have finished the asset too; then the server lists a signature.
 */
export function mayBeFinished(
  { provenance }: Pick<UploadState, 'provenance'>,
  asset?: Pick<AssetFacts, 'blobs'>,
): boolean {
  return provenance.uploadId !== undefined || (asset?.blobs.some(({ role }) => role === 'provenance') ?? false)
}
