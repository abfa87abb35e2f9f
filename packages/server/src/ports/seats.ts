/**
 * Bounds how many of a kind run at a time, over all processes of a server: one deep scan of an account, sixteen event
 * streams. `contracts/seats.ts` tests the promises.
 */
export interface Seats {
  /** Undefined if all `count` seats of `place` are taken. */
  take(place: string, count: number): Promise<Seat | undefined>
  close(): Promise<void>
}

/** It is kept until it is left. The seats of a process that died are free again within a minute. */
export interface Seat {
  /** Never rejects. A second call does nothing. */
  leave(): Promise<void>
}
