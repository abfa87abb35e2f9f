import type { OwnChannels } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useReader, useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { type PresentPush, PushRefused, pushObstacle, startPush } from '../push/browserPush.ts'

interface ThisBrowserProps {
  readonly pushKey: NonNullable<OwnChannels['pushKey']>
  /** Undefined if this browser gets no messages. */
  readonly present: PresentPush | undefined
  readonly reload: () => void
}

/** Turns messages on in this browser, or says why it cannot. */
export function ThisBrowser({ pushKey, present, reload }: ThisBrowserProps) {
  const { owner, baseUrl, showMessage } = useOwnerPages()
  const { language } = useReader()
  const text = useText(accountTexts).notify.push
  const action = useAction()
  const [found, setFound] = useState(pushObstacle)
  const obstacle = action.error instanceof PushRefused ? action.error.obstacle : found
  if (present !== undefined && !present.isLost) return null
  const start = () =>
    action.run(async () => {
      try {
        await startPush({ owner, baseUrl, pushKey, language })
        showMessage({ tone: 'good', text: text.started })
      } finally {
        setFound(pushObstacle())
        reload()
      }
    })
  const isFinal = obstacle === 'install' || obstacle === 'unsupported'
  return (
    <div class="stack tight">
      {present?.isLost === true && <Notice tone="warn">{text.lost}</Notice>}
      {action.error !== undefined && !(action.error instanceof PushRefused) && <ErrorNotice error={action.error} />}
      {obstacle !== undefined && (
        <p class="soft" role="status">
          {text.obstacles[obstacle]}
        </p>
      )}
      {!isFinal && (
        <div>
          <Button icon="add" busy={action.isBusy} disabled={obstacle === 'denied'} onClick={() => void start()}>
            {text.start}
          </Button>
        </div>
      )}
      {!isFinal && <p class="soft small">{text.explain}</p>}
    </div>
  )
}
