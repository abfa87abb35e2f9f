import type { ListedDevice } from '@blindkeep/client/owner'
import { Button, Dialog, Name, Notice } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { forgetTiles } from '../albums/useTile.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { accountTexts } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { keyName } from './keyName.ts'

interface RevokeDialogProps {
  readonly device: ListedDevice
  /** Whether it is the key of this browser, which is signed out then. */
  readonly isHere: boolean
  readonly onClose: () => void
  readonly onRevoked: () => void
}

export function RevokeDialog({ device, isHere, onClose, onRevoked }: RevokeDialogProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const action = useAction()
  const revoke = async () => {
    const isRevoked = await action.run(() => owner.revokeDevice(device.deviceId))
    forgetTiles(owner)
    if (isRevoked) onRevoked()
  }
  return (
    <Dialog title={text.devices.ask.title(keyName(device.deviceId))} closeLabel={text.page.close} onClose={onClose}>
      {device.name !== undefined && (
        <p>
          <Name>{device.name}</Name>
        </p>
      )}
      <ul class="consequences">
        {text.devices.ask.items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
      {isHere && <Notice tone="warn">{text.devices.ask.here}</Notice>}
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      <div class="row">
        <Button kind="danger" busy={action.isBusy} onClick={() => void revoke()}>
          {text.devices.revoke}
        </Button>
        <Button kind="quiet" disabled={action.isBusy} onClick={onClose}>
          {text.page.cancel}
        </Button>
      </div>
    </Dialog>
  )
}
