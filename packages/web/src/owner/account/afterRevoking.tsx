/** After a device was revoked: sign-ins that go on, and files that another person may have signed. */
import type { ListedDevice } from '@blindkeep/client/owner'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button, IconButton, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { keyName } from '../ground/keyName.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { SignedFiles } from './signedFiles.tsx'

interface AfterRevokingProps {
  readonly device: ListedDevice
  readonly onEnded: () => void
  readonly onClose: () => void
}

export function AfterRevoking({ device, onEnded, onClose }: AfterRevokingProps) {
  const text = useText(accountTexts)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  // The page no longer has the button that led here.
  useEffect(() => heading.current?.focus(), [])
  return (
    <section class="after-revoking stack" aria-labelledby={id}>
      <div class="row apart">
        <h3 id={id} ref={heading} tabIndex={-1} class="grow">
          {text.devices.after(keyName(device.deviceId))}
        </h3>
        <IconButton icon="close" label={text.page.close} onClick={onClose} />
      </div>
      <UntiedSessions onEnded={onEnded} />
      <SignedFiles device={device} />
    </section>
  )
}

function UntiedSessions({ onEnded }: Pick<AfterRevokingProps, 'onEnded'>) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(accountTexts).devices.untied
  const loaded = useLoaded(() => owner.untiedSessions())
  const action = useAction()
  const untied = loaded.value ?? []
  const end = async () => {
    await action.run(async () => {
      for (const { sessionId } of untied) await owner.endSession(sessionId)
      showMessage({ tone: 'good', text: text.ended(untied.length) })
    })
    loaded.reload()
    onEnded()
  }
  if (loaded.error !== undefined) return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />
  if (untied.length === 0) return null
  return (
    <>
      <Notice tone="warn">
        <p>{text.notice(untied.length)}</p>
        <div>
          <Button kind="danger" busy={action.isBusy} onClick={() => void end()}>
            {text.end(untied.length)}
          </Button>
        </div>
      </Notice>
      {action.error !== undefined && <ErrorNotice error={action.error} />}
    </>
  )
}
