import type { OwnLink } from '@blindkeep/client/owner'
import { useText } from '../../common/language/reader.ts'
import { ConfirmDialog } from '../dialogs/confirmDialog.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { linksTexts } from '../ground/texts.ts'
import { labelOf } from './linkLabel.ts'

interface RevokeLinkProps {
  readonly link: OwnLink
  readonly onClose: () => void
  readonly onRevoked: () => void
}

export function RevokeLink({ link, onClose, onRevoked }: RevokeLinkProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(linksTexts)
  const label = labelOf(link, text)
  return (
    <ConfirmDialog
      title={text.revoking.title}
      submit={text.revoking.submit}
      icon="trash"
      work={() => owner.revokeLink(link.opaqueId)}
      onDone={() => {
        showMessage({ tone: 'good', text: text.revoking.done(label) })
        onRevoked()
        onClose()
      }}
      onClose={onClose}
    >
      <p>{text.revoking.about(label)}</p>
      <ul class="bullets">
        <li>{text.revoking.open(link.openSessions)}</li>
        <li>{text.revoking.stays}</li>
        <li>{text.revoking.forGood}</li>
      </ul>
    </ConfirmDialog>
  )
}
