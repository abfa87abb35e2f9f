import { Button, Notice } from '../../common/controls.tsx'
import type { Language } from '../../common/language.ts'
import type { ListedDrop } from './dropList.ts'
import { inboxText, isTemporary } from './texts.ts'

interface UnreadNoticeProps {
  readonly items: readonly ListedDrop[]
  readonly language: Language
  readonly onRetry: () => void
}

/** Offers another try when names could not be read because of the connection or the server. The rows show which names. */
export function UnreadNotice({ items, language, onRetry }: UnreadNoticeProps) {
  const unread = items.find(({ fault }) => fault !== undefined && isTemporary(fault))
  if (unread?.fault === undefined) return null
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
