/** How many rows need attention, for monitoring. Each count stops at `MAX_COUNTED`, so that it never takes long. */
import type { ObjectState } from './objects.ts'
import type { UploadState } from './uploads.ts'

export const MAX_COUNTED = 10_000

export interface Census {
  readonly uploads: Readonly<Record<Extract<UploadState, 'open' | 'finishing'>, number>>
  /** Kept objects with wrong bytes, and objects on their way out. */
  readonly objects: Readonly<
    Record<'damaged' | 'suspected' | Extract<ObjectState, 'orphaned' | 'marked' | 'deleting'>, number>
  >
  readonly holds: number
}

export interface CensusReads {
  take(): Promise<Census>
}

/** A census changes nothing. */
export type CensusWrites = Readonly<Record<never, never>>
