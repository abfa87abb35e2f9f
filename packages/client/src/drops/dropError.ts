import { ReasonedError } from '@blindkeep/protocol/reasonedError'
import type { Withheld } from '@blindkeep/protocol/schemas/drops'
import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { SealError, type SealFault } from '../seal/sealError.ts'

/** A drop decrypts, but not to what the inbox showed: another hash, or a header about another file. */
export class DropError extends ReasonedError<'hash_differs'> {
  override readonly name = 'DropError'

  constructor() {
    super(
      'hash_differs',
      'Tampering detected: the server’s bytes for this drop do not have the hash that its inbox lists. Discard what was read.',
    )
  }
}

/** Why a drop is listed without its name. The message is for people. */
export interface DropFault {
  readonly reason: SealFault | Withheld | 'another_drop' | 'not_in_inbox' | 'refused' | 'unreachable' | 'answer_broken'
  readonly message: string
}

export const ANOTHER_DROP: DropFault = {
  reason: 'another_drop',
  message: 'Tampering detected: the server lists another drop under the id of one that it listed before.',
}

/** What the server says about the bytes. A name that was read before stays. */
export const WITHHELD: Readonly<Record<Withheld, DropFault>> = {
  damaged: {
    reason: 'damaged',
    message:
      'The server’s copy is damaged or cannot be read. Ask its operator to restore it, or the sender to send the file again.',
  },
  held: { reason: 'held', message: 'The operator of the server withholds it. Ask them.' },
}

/** Undefined for an error that is not about the drop: a fault of this program, or the caller's own abort. */
export function dropFaultOf(error: unknown): DropFault | undefined {
  if (error instanceof SealError) return { reason: error.reason, message: `It cannot be opened: ${error.message}.` }
  if (error instanceof NetworkError) return { reason: 'unreachable', message: error.message }
  if (error instanceof AnswerError) return { reason: 'answer_broken', message: error.message }
  if (!(error instanceof ProblemError)) return undefined
  return { reason: error.code === 'error.drop.not_found' ? 'not_in_inbox' : 'refused', message: error.message }
}
