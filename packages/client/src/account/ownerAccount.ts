/** What the server knows about the owner. */
import type { Call } from '../http/call.ts'

export interface AccountFacts {
  readonly email: string
  /** RFC 3339. */
  readonly createdAt: string
  /** A suspended account can read and delete, and cannot write. */
  readonly isSuspended: boolean
  readonly hasSecondFactor: boolean
}

export interface OwnerAccount {
  account(): Promise<AccountFacts>
}

export function createOwnerAccount({ call }: { readonly call: Call }): OwnerAccount {
  return {
    async account() {
      const { body } = await call('account')
      const { email, created_at: createdAt, state, totp_enabled: hasSecondFactor } = body
      return { email, createdAt, isSuspended: state === 'suspended', hasSecondFactor }
    },
  }
}
