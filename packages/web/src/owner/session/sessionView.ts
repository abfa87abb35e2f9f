import type { Owner } from '@blindkeep/client/owner'

/**
 * Why the tab is signed out. `key_revoked`: the owner revoked this browser's key. `signed_out_locally`: the server
 * could not be reached, so the session continues there. `key_left`: the browser could not delete the account key.
 * `deletion_unsure`, `revocation_unsure`: the session is over, and the answer to the call that ends it was lost.
 */
export type SignedOutReason =
  | 'ended'
  | 'signed_out'
  | 'signed_out_locally'
  | 'key_left'
  | 'reloaded'
  | 'deleted'
  | 'deletion_unsure'
  | 'key_revoked'
  | 'revocation_unsure'

export type SessionView =
  | { readonly stage: 'opening' }
  /** Another tab has the session. `hasMoved`: it was in this tab before. */
  | { readonly stage: 'elsewhere'; readonly hasMoved: boolean }
  | { readonly stage: 'out'; readonly reason: SignedOutReason | undefined }
  | {
      readonly stage: 'in'
      readonly owner: Owner
      readonly isStored: boolean
      /** The owner asked to stay signed in, and the browser stores nothing. */
      readonly isStoringRefused: boolean
    }
