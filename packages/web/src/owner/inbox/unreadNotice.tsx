import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { inboxTexts } from '../ground/texts.ts'
import type { ListedDrop } from './dropList.ts'
import { isTemporary } from './dropTexts.ts'

interface UnreadNoticeProps {
  readonly items: readonly ListedDrop[]
  readonly onRetry: () => void
}

/** What is wrong in the inbox; rows show where. Names that connection or server kept back can be tried again. */
export function UnreadNotice({ items, onRetry }: UnreadNoticeProps) {
  const text = useText(inboxTexts)
  const isUnread = items.some(({ fault }) => fault !== undefined && isTemporary(fault))
  const withheld = items.flatMap((item) => item.withheld ?? [])
  const damaged = withheld.filter((why) => why === 'damaged').length
  return (
    <>
      {withheld.length > 0 && <Notice tone="bad">{text.withheld(damaged, withheld.length - damaged)}</Notice>}
      {isUnread && (
        <Notice tone="warn">
          <p>{text.namesMissing}</p>
          <div>
            <Button icon="retry" onClick={onRetry}>
              {text.again}
            </Button>
          </div>
        </Notice>
      )}
    </>
  )
}
