import type { Client } from './client.ts'

/** What one probe found. `wrong`: do not use the store as it is. `note`: it works; the operator should know. */
export interface Finding {
  readonly probe: string
  readonly outcome: 'good' | 'note' | 'wrong'
  /** A sentence for people. */
  readonly said: string
}

/** What a probe works with: a place of its own in the bucket. */
export interface Probing {
  readonly client: Client
  /** With a secret that is not the right one. */
  readonly stranger: Client
  /** All keys of the probe begin with it. */
  readonly at: string
}

export type Found = Omit<Finding, 'probe'>
