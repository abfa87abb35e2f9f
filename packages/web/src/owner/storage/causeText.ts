import { AuditError, ProblemError } from '@blindkeep/client/errors'
import { useText } from '../../common/language/reader.ts'
import { errorTexts } from '../ground/errorText.ts'
import { storageTexts } from '../ground/texts.ts'
import type { CompareKind } from './compare.ts'
import type { OutcomeKind } from './outcomes.ts'

/**
 * The text for a tampered or failed answer. Usual refusal texts say "nothing is lost", but this check has not proved
 * that. So a refusal gets a neutral text, except for 401 and 429, which are about the caller.
 */
export function useCauseText(): (cause: unknown) => string {
  const text = useText(storageTexts)
  const errorText = useText(errorTexts)
  return (cause) => {
    if (cause instanceof AuditError) return text.audit[cause.reason]
    const isAboutCaller = cause instanceof ProblemError && (cause.status === 401 || cause.status === 429)
    return cause instanceof ProblemError && !isAboutCaller ? text.refused : errorText(cause)
  }
}

/** Whether the cause says more than the outcome's own text. */
export function showsCause(kind: CompareKind | OutcomeKind): boolean {
  return kind === 'tampered' || kind === 'no_answer' || kind === 'file_unreadable'
}
