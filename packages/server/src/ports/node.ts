import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from './clock.ts'

/** This process among the nodes that serve one database. */
export interface Node extends News {
  /** The same time on all nodes, within `MAX_CLOCK_OFF_MS`. */
  readonly clock: Clock
  /** Each process makes its own. Undefined if no other process may serve the same data. */
  readonly nodeId: string | undefined
  /** No other process may serve the same data. */
  readonly isSole: boolean
  /** Why it must not serve now. Empty if it may. */
  faults(): readonly NodeFault[]
  /** Runs `job` unless another node runs it, or this one must run none. That saves work only: two may run at once. */
  inTurn(name: string, job: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/**
 * - store: for five seconds no answer of the database has said its time.
 * - clock: it is two seconds away from the database's.
 * - schema: a newer release has changed the database, and this one does not understand it any more.
 */
export type NodeFault = 'store' | 'clock' | 'schema'

/** What nodes tell each other of committed changes: quick, perhaps lost, so listeners also look themselves. */
export interface News {
  /** Never fails and does not wait. */
  announce(accountIds: Iterable<AccountId>): void
  /** `hear`: accounts that other nodes changed. Without accounts: any, as the connection was lost. */
  onNews(hear: (accountIds?: readonly AccountId[]) => void): void
}

export const MAX_CLOCK_OFF_MS = 2_000
