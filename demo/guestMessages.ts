import type { Landed, LinkLimits, SendProgress } from '@blindkeep/client/guest'

/** What the demo tells a guest process to do. */
export interface GuestOrder {
  readonly url: string
  readonly path: string
  /** Where the state of the upload is kept; one that is there already is gone on with. */
  readonly statePath: string
  readonly passphrase: string
  readonly note: string
  readonly sender: string
}

export interface GuestDone extends Landed {
  readonly receiptSeq: number
  readonly receivedAt: string
  readonly keyId: string
  readonly peakMemoryBytes: number | undefined
}

/** What a guest process tells. */
export type GuestMessage =
  | { readonly is: 'limits'; readonly limits: LinkLimits }
  | { readonly is: 'progress'; readonly progress: SendProgress }
  | { readonly is: 'done'; readonly done: GuestDone }
  | { readonly is: 'failed'; readonly message: string }
