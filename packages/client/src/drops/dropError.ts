import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { SealError, type SealFault } from '../seal/sealError.ts'

/** The bytes of a drop open, and yet are not those that the inbox names: the server contradicts itself. */
export class DropError extends Error {
  override readonly name = 'DropError'
  readonly reason = 'hash_differs'

  constructor() {
    super(
      'Caught: the server gave other bytes for this drop than those whose hash its inbox tells. Throw away what was read.',
    )
  }
}

/** Why a drop is listed without its name; the message says it to people. */
export interface DropFault {
  readonly reason: SealFault | 'gone' | 'refused' | 'unreachable' | 'answer_broken'
  readonly message: string
}

/** Undefined for what is not about the drop but a fault of the program, or the caller's own wish to stop. */
export function dropFaultOf(error: unknown): DropFault | undefined {
  if (error instanceof SealError) return { reason: error.reason, message: `It cannot be opened: ${error.message}.` }
  if (error instanceof NetworkError) return { reason: 'unreachable', message: error.message }
  if (error instanceof AnswerError) return { reason: 'answer_broken', message: error.message }
  if (!(error instanceof ProblemError)) return undefined
  return { reason: error.code === 'error.drop.not_found' ? 'gone' : 'refused', message: error.message }
}
