import { Button, Name, Notice, Progress } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { isolated } from '../../common/names/isolated.ts'
import { inboxTexts } from '../ground/texts.ts'
import type { DropSaving } from './useDropSaving.ts'

interface SavingStatusProps {
  readonly saving: DropSaving
  /** A dialog shows the same status. */
  readonly isHidden: boolean
}

/** At the end of what is in view, however far the owner has scrolled to the button. */
export function SavingStatus({ saving, isHidden }: SavingStatusProps) {
  const { now, fault } = saving
  const text = useText(inboxTexts)
  if (isHidden || (now === undefined && fault === undefined)) return null
  return (
    <div class="saving-status stack tight">
      {now !== undefined && (
        <div class="card stack tight">
          <div class="row apart">
            <p class="grow">{text.downloading(isolated(now.name))}</p>
            <Button kind="quiet" icon="close" onClick={saving.stop}>
              {text.stop}
            </Button>
          </div>
          <Progress label={text.downloading(now.name)} value={now.share} />
        </div>
      )}
      {fault !== undefined && (
        <Notice tone="bad">
          <p>
            <strong>
              <Name>{fault.name}</Name>
            </strong>
          </p>
          <p>{fault.text}</p>
          <div>
            <Button kind="quiet" onClick={saving.dismiss}>
              {text.close}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  )
}
