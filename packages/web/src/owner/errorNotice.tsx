import { Button, Notice } from '../common/controls.tsx'
import type { Language } from '../common/language.ts'
import { errorText, problemTexts, requestIdOf } from './errorText.ts'

interface ErrorNoticeProps {
  readonly error: unknown
  readonly language: Language
  /** Given when another try may help. */
  readonly onRetry?: (() => void) | undefined
}

/** Shows an error, with the request's id for the operator. */
export function ErrorNotice({ error, language, onRetry }: ErrorNoticeProps) {
  const text = problemTexts[language]
  const requestId = requestIdOf(error)
  return (
    <Notice tone="bad">
      <p>{errorText(error, language)}</p>
      {requestId !== undefined && <p class="small soft mono">{text.requestId(requestId)}</p>}
      {onRetry !== undefined && (
        <div>
          <Button icon="retry" onClick={onRetry}>
            {text.retry}
          </Button>
        </div>
      )}
    </Notice>
  )
}
