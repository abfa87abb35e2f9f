import type { Instant } from '@blindkeep/protocol/ids'

/** The last message about alarms of a kind. */
export interface SentAlarm {
  readonly at: Instant
  readonly isOver: boolean
}

/** By the kind of alarm. It is still known after a restart. */
export interface SentAlarms {
  /** Nothing if nothing was written, or it cannot be read. */
  read(): Promise<ReadonlyMap<string, SentAlarm>>
  /** Replaces all. */
  write(sent: ReadonlyMap<string, SentAlarm>): Promise<void>
}
