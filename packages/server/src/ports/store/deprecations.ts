import type { Instant, ProtocolVersion } from '@blindkeep/protocol/ids'

/** An announced cutoff (specification, DeprecationResponse). */
export interface Deprecation {
  readonly minProtocolVersion: ProtocolVersion
  readonly announcedAt: Instant
  readonly cutoff: Instant
  readonly detailUrl: string | undefined
}

export interface DeprecationReads {
  /** All of them, in the order in which they were announced. */
  list(): Promise<readonly Deprecation[]>
}

/** Nothing changes or removes an announcement. */
export interface DeprecationWrites {
  append(deprecation: Deprecation): Promise<void>
}
