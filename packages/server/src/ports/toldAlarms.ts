import type { Instant } from '@blindkeep/protocol/ids'

/** The last message about alarms of a kind. */
export interface Told {
  readonly at: Instant
  readonly isOver: boolean
}

/** The last message to the operator about each kind of alarm. It is still known after a restart. */
export interface ToldAlarms {
  /** Nothing if nothing was written, or it cannot be read. */
  read(): Promise<ReadonlyMap<string, Told>>
  /** Replaces all. */
  write(told: ReadonlyMap<string, Told>): Promise<void>
}
