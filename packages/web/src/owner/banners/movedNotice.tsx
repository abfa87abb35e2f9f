import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { movingTexts } from '../ground/texts.ts'

/** On a page that was open while the server moved away from its address. */
export function MovedNotice() {
  const text = useText(movingTexts).moved
  return (
    <div class="banner no-print">
      <Notice tone="bad">
        <p>
          <strong>{text.title}</strong>
        </p>
        <p>{text.what}</p>
        <div>
          <Button icon="retry" onClick={() => location.reload()}>
            {text.reload}
          </Button>
        </div>
      </Notice>
    </div>
  )
}
