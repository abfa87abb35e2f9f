/** What the server knows of the person. */
import type { Call } from '../http/call.ts'

export interface AccountFacts {
  readonly email: string
  /** RFC 3339. */
  readonly createdAt: string
  /** Whether its operator keeps it from writing: it reads and frees what it holds. */
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
