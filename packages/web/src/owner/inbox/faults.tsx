import type { InboxItem } from '@blindkeep/client/owner'
import { Button, Notice } from '../../common/controls.tsx'
import type { Language } from '../../common/language.ts'
import { inboxText, isPassing } from './texts.ts'

interface FaultsProps {
  readonly items: readonly InboxItem[]
  readonly language: Language
  readonly onRetry: () => void
}

/** Where names could not be read because of the line or the server, another try may help; the rows say which. */
export function Faults({ items, language, onRetry }: FaultsProps) {
  const passing = items.find(({ fault }) => fault !== undefined && isPassing(fault))
  if (passing?.fault === undefined) return null
  const text = inboxText(language)
  return (
    <Notice tone="warn">
      <p>{text.namesMissing}</p>
      <div>
        <Button icon="retry" onClick={onRetry}>
          {text.again}
        </Button>
      </div>
    </Notice>
  )
}
