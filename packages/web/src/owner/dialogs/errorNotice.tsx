import { FeedRolledBack } from '@blindkeep/client/errors'
import { useContext } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { assetFeedOf } from '../assets/assetFeed.ts'
import { errorTexts, problemTexts, requestIdOf } from '../ground/errorText.ts'
import { OwnerPagesContext } from '../ground/ownerPages.ts'

interface ErrorNoticeProps {
  readonly error: unknown
  /** Given when another try may help. */
  readonly onRetry?: (() => void) | undefined
}

/** Shows an error, with the request's id for the operator, and what the owner can do. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const text = useText(problemTexts)
  const errorText = useText(errorTexts)
  const requestId = requestIdOf(error)
  const accept = useAcceptRollback(error)
  return (
    <Notice tone="bad">
      <p>{errorText(error)}</p>
      {requestId !== undefined && <p class="small soft mono">{text.requestId(requestId)}</p>}
      {onRetry !== undefined && (
        <div class="row">
          <Button icon="retry" onClick={onRetry}>
            {text.retry}
          </Button>
          {accept !== undefined && (
            <Button
              onClick={() => {
                accept()
                onRetry()
              }}
            >
              {text.acceptRollback}
            </Button>
          )}
        </div>
      )}
    </Notice>
  )
}

/** Undefined for every other error. */
function useAcceptRollback(error: unknown): (() => void) | undefined {
  const pages = useContext(OwnerPagesContext)
  if (pages === undefined || !(error instanceof FeedRolledBack)) return undefined
  return () => void assetFeedOf(pages.owner).acceptRollback(error)
}
