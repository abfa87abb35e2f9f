import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import { given, later, optional, type Row } from '../columns.ts'

/** Each lets one person register if registration needs an invite. The server does not keep the code itself. */
export const invites = {
  /** SHA-256 of the code, lowercase hexadecimal. */
  codeHash: given<string>(),
  createdAt: given<Instant>(),
  expiresAt: given<Instant>(),
  /** The account that was registered with it. */
  usedBy: later<AccountId>(),
  /** The operator's own words. Only the operator's commands show them. Emptied when the account is deleted. */
  note: optional<string>(),
}

export type Invite = Row<typeof invites>
