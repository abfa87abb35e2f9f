import type { Instant, ProtocolVersion } from '@blindkeep/protocol/ids'
import { given, optional, type Row, sequence } from '../columns.ts'

/** Announced cutoffs (specification, DeprecationResponse). */
export const deprecations = {
  /** The order in which they were announced. */
  deprecationSeq: sequence(),
  minProtocolVersion: given<ProtocolVersion>(),
  announcedAt: given<Instant>(),
  cutoff: given<Instant>(),
  detailUrl: optional<string>(),
}

export type Deprecation = Row<typeof deprecations>
