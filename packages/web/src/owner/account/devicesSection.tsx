import type { ListedDevice } from '@blindkeep/client/owner'
import { Button, Notice } from '../../common/controls.tsx'
import { formatInstant } from '../../common/format.ts'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { forgetDevice, storedDevice } from '../device.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorText } from '../errorText.ts'
import { accountText } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { Section } from './section.tsx'

/** The devices whose signatures the account accepts. */
export function DevicesSection() {
  const { owner, language, showMessage } = useOwnerPages()
  const text = accountText(language).devices
  const loaded = useLoaded(async () => {
    const [devices, stored] = await Promise.all([owner.devices(), storedDevice(owner)])
    return { devices, here: stored?.deviceId }
  })
  const action = useAction()
  const revoke = ({ deviceId }: ListedDevice) =>
    action.run(async () => {
      try {
        await owner.revokeDevice(deviceId)
        if (deviceId === loaded.value?.here) forgetDevice(owner)
        showMessage({ tone: 'good', text: text.revoked })
      } catch (error) {
        showMessage({ tone: 'bad', text: errorText(error, language) })
      }
      loaded.reload()
    })
  const { devices = [], here } = loaded.value ?? {}
  const live = devices.filter(({ revokedAt }) => revokedAt === undefined)
  const old = devices.filter(({ revokedAt }) => revokedAt !== undefined)
  return (
    <Section title={text.title}>
      <p class="soft">{text.explain}</p>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} language={language} onRetry={loaded.reload} />}
      {live.some(({ isOwn }) => !isOwn) && <Notice tone="warn">{text.foreignExplain}</Notice>}
      {loaded.value !== undefined && devices.length === 0 && <p class="small soft">{text.none}</p>}
      {live.length > 0 && (
        <ul class="account-list">
          {live.map((device) => (
            <DeviceRow
              key={device.deviceId}
              device={device}
              isHere={device.deviceId === here}
              isBusy={action.isBusy}
              onRevoke={() => void revoke(device)}
            />
          ))}
        </ul>
      )}
      {old.length > 0 && (
        <details>
          <summary>{text.old(old.length)}</summary>
          <ul class="account-list">
            {old.map((device) => (
              <DeviceRow key={device.deviceId} device={device} isHere={device.deviceId === here} />
            ))}
          </ul>
        </details>
      )}
    </Section>
  )
}

interface DeviceRowProps {
  readonly device: ListedDevice
  readonly isHere: boolean
  readonly isBusy?: boolean
  /** Absent for a revoked device. */
  readonly onRevoke?: () => void
}

/** The end of an id is enough to tell devices apart. */
const SHOWN_CHARACTERS = 8

function DeviceRow({ device, isHere, isBusy, onRevoke }: DeviceRowProps) {
  const { language } = useOwnerPages()
  const text = accountText(language).devices
  const { deviceId, isOwn, createdAt, revokedAt } = device
  const id = deviceId.slice(-SHOWN_CHARACTERS)
  return (
    <li class="row apart">
      <div class="grow stack tight">
        <span>
          {text.device(id)} {isHere && <span class="badge good">{text.here}</span>}{' '}
          {!isOwn && <span class="badge bad">{text.foreign}</span>}
        </span>
        <span class="soft small">
          {text.added(formatInstant(createdAt, language))}
          {revokedAt !== undefined && ` · ${text.revokedAt(formatInstant(revokedAt, language))}`}
        </span>
      </div>
      {onRevoke !== undefined && (
        <Button kind="quiet" disabled={isBusy} onClick={onRevoke}>
          {text.revoke}
          <span class="visually-hidden">: {text.device(id)}</span>
        </Button>
      )}
    </li>
  )
}
