import type { ListedDevice } from '@blindkeep/client/owner'
import { Name, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { forgetTiles } from '../assets/useTile.ts'
import { forgetDevice } from '../browser/device.ts'
import { ConfirmDialog } from '../dialogs/confirmDialog.tsx'
import { keyName } from '../ground/keyName.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import type { PageSession } from '../session/session.ts'

interface RevokeDialogProps {
  readonly device: ListedDevice
  /** Whether it is the key of this browser, which is signed out then. */
  readonly isHere: boolean
  readonly session: PageSession
  readonly onClose: () => void
  readonly onRevoked: () => void
}

export function RevokeDialog({ device, isHere, session, onClose, onRevoked }: RevokeDialogProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts).devices
  const revoke = async () => {
    try {
      await owner.revokeDevice(device.deviceId)
    } finally {
      forgetTiles(owner)
      if (isHere) forgetDevice(owner)
    }
  }
  return (
    <ConfirmDialog
      title={text.ask.title(keyName(device.deviceId))}
      submit={text.revoke}
      work={() => (isHere ? session.endBy('revocation', revoke) : revoke())}
      onDone={onRevoked}
      onClose={onClose}
    >
      {device.name !== undefined && (
        <p>
          <Name>{device.name}</Name>
        </p>
      )}
      <ul class="consequences">
        {text.ask.items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
      {isHere && <Notice tone="warn">{text.ask.here}</Notice>}
    </ConfirmDialog>
  )
}
