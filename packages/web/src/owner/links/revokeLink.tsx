import type { OwnLink } from '@blindkeep/client/owner'
import { Button, Dialog } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { useAction } from '../useAction.ts'
import { labelOf, linksTexts } from './texts.ts'

interface RevokeLinkProps {
  readonly link: OwnLink
  readonly onClose: () => void
  readonly onRevoked: () => void
}

export function RevokeLink({ link, onClose, onRevoked }: RevokeLinkProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(linksTexts)
  const { isBusy, error, run } = useAction()
  const label = labelOf(link, text)

  const revoke = async () => {
    if (!(await run(() => owner.revokeLink(link.opaqueId)))) return
    showMessage({ tone: 'good', text: text.revoking.done(label) })
    onRevoked()
    onClose()
  }

  return (
    <Dialog title={text.revoking.title} closeLabel={text.close} onClose={onClose}>
      <p>{text.revoking.about(label)}</p>
      <ul class="bullets">
        <li>{text.revoking.open(link.openSessions)}</li>
        <li>{text.revoking.stays}</li>
        <li>{text.revoking.forGood}</li>
      </ul>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row end">
        <Button kind="danger" icon="trash" busy={isBusy} onClick={() => void revoke()}>
          {text.revoking.submit}
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={onClose}>
          {text.cancel}
        </Button>
      </div>
    </Dialog>
  )
}
