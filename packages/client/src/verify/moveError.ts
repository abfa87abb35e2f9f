import { ReasonedError } from '@blindkeep/protocol/reasonedError'

/** Why a client does not follow a server to another address. */
export type MoveFault =
  | 'not_known'
  | 'other_server'
  | 'keys_differ'
  | 'moves_differ'
  | 'never_moved'
  | 'not_from_there'
  | 'statement_invalid'
  | 'receipt_lost'
  | 'old_contradicts'

/** The new address does not prove that it is the server that was known at the old one. Nothing was sent to either. */
export class MoveError extends ReasonedError<MoveFault> {
  override readonly name = 'MoveError'
}
