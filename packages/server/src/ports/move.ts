import type { ArrivingParts, Snapshot } from './backup.ts'
import type { Store } from './store.ts'

/**
 * The rows of a server on their way to another database. Until the end they are in a copy beside the old database, and
 * neither database lets a server start. Every method may be repeated after a kill at any point.
 */
export interface MovingDatabase {
  /** Whether an interrupted move left the copy. */
  isBegun(): boolean
  /** Makes the copy, unless an interrupted move left one. Throws if the target has rows of its own. */
  begin(): Promise<void>
  /** Whether the target has the rows already, because an earlier run was interrupted after that. */
  isFilled(): Promise<boolean>
  /** Opens the copy. */
  open(): Promise<Store>
  /** Of the copy; works while the store is open. */
  snapshot(): Snapshot
  readonly parts: ArrivingParts
  /** The bytes of the object at the target were read back and are right. */
  isDone(location: string): boolean
  done(location: string): void
  /** Brings all rows of the copy to the target, compares them there, and commits. Call it while the copy is closed. */
  fill(onRows: (rows: number) => void): Promise<void>
  /** No server starts on the old database from now on. */
  finish(): Promise<void>
}
