import type { OwnLink } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Dialog } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { labelOf, linksText } from './texts.ts'

interface RevokeLinkProps {
  readonly link: OwnLink
  readonly onClose: () => void
  readonly onRevoked: () => void
}

export function RevokeLink({ link, onClose, onRevoked }: RevokeLinkProps) {
  const { owner, language, tell } = useOwnerPages()
  const text = linksText(language)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const label = labelOf(link, language)

  async function revoke(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      await owner.revokeLink(link.opaqueId)
      tell({ tone: 'good', text: text.revoking.done(label) })
      onRevoked()
      onClose()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }

  return (
    <Dialog title={text.revoking.title} closeLabel={text.close} onClose={onClose}>
      <p>{text.revoking.about(label)}</p>
      <ul class="bullets">
        <li>{text.revoking.open(link.openSessions)}</li>
        <li>{text.revoking.stays}</li>
        <li>{text.revoking.forGood}</li>
      </ul>
      {error !== undefined && <ErrorNotice error={error} language={language} />}
      <div class="row end">
        <Button onClick={onClose}>{text.cancel}</Button>
        <Button kind="danger" icon="trash" busy={isBusy} onClick={() => void revoke()}>
          {text.revoking.submit}
        </Button>
      </div>
    </Dialog>
  )
}
