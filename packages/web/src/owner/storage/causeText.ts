import { AuditError, ProblemError } from '@blindkeep/client/errors'
import type { Language } from '../../common/language.ts'
import { errorText } from '../errorText.ts'
import type { CompareKind } from './compare.ts'
import type { OutcomeKind } from './outcomes.ts'
import { storageText } from './texts.ts'

/**
 * What was caught or failed, in plain words. What refusals say elsewhere comforts ("nothing is lost"), and here that is the very question: so beside those that
 * are about the asker they are only called what they are.
 */
export function causeText(cause: unknown, language: Language): string {
  const text = storageText(language)
  if (cause instanceof AuditError) return text.audit[cause.reason]
  const isAboutAsker = cause instanceof ProblemError && (cause.status === 401 || cause.status === 429)
  return cause instanceof ProblemError && !isAboutAsker ? text.refused : errorText(cause, language)
}

/** Whether the cause says more than the outcome's own words. */
export function tellsCause(kind: CompareKind | OutcomeKind): boolean {
  return kind === 'tampered' || kind === 'unanswered' || kind === 'file_unread'
}
