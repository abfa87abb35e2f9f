import type { ListedDevice } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Name, Notice } from '../../common/controls.tsx'
import { formats } from '../../common/format.ts'
import { useText } from '../../common/reader.ts'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { forgetDevice, storedDevice } from '../device.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { NameDialog } from '../nameDialog.tsx'
import type { PageSession } from '../session.ts'
import { accountTexts } from '../texts.ts'
import { whenTied } from '../tiedSession.ts'
import { AfterRevoking } from './afterRevoking.tsx'
import { keyName } from './keyName.ts'
import { RevokeDialog } from './revokeDialog.tsx'
import { Section } from './section.tsx'

interface DevicesSectionProps {
  readonly session: PageSession
  /** Called when sessions have ended. */
  readonly onEnded: () => void
}

/** The devices whose signatures the account accepts, and what is left to do after one was revoked. */
export function DevicesSection({ session, onEnded }: DevicesSectionProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(accountTexts).devices
  const loaded = useLoaded(async () => {
    await whenTied(owner)
    const [devices, stored] = await Promise.all([owner.devices(), storedDevice(owner)])
    return { devices, here: stored?.deviceId }
  })
  const [asked, setAsked] = useState<ListedDevice>()
  const [shown, setShown] = useState<ListedDevice>()
  const [renamed, setRenamed] = useState<ListedDevice>()
  const { devices = [], here } = loaded.value ?? {}
  const live = devices.filter(({ revokedAt }) => revokedAt === undefined)
  const old = devices.filter(({ revokedAt }) => revokedAt !== undefined)
  const isDenied = old.some(({ isRevocationDenied }) => isRevocationDenied)
  const finish = (device: ListedDevice) => {
    setAsked(undefined)
    if (device.deviceId === here) {
      forgetDevice(owner)
      return void session.endRevoked()
    }
    showMessage({ tone: 'good', text: text.revoked })
    setShown(device)
    loaded.reload()
    onEnded()
  }
  return (
    <Section title={text.title}>
      <p class="soft">{text.explain}</p>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} onRetry={loaded.reload} />}
      {shown !== undefined && (
        <AfterRevoking key={shown.deviceId} device={shown} onEnded={onEnded} onClose={() => setShown(undefined)} />
      )}
      {live.some(({ isOwn }) => !isOwn) && <Notice tone="warn">{text.foreignExplain}</Notice>}
      {isDenied && <Notice tone="bad">{text.deniedExplain}</Notice>}
      {loaded.value !== undefined && devices.length === 0 && <p class="small soft">{text.none}</p>}
      {live.length > 0 && (
        <ul class="account-list">
          {live.map((device) => (
            <DeviceRow
              key={device.deviceId}
              device={device}
              isHere={device.deviceId === here}
              action={text.revoke}
              onRename={() => setRenamed(device)}
              onAction={() => setAsked(device)}
            />
          ))}
        </ul>
      )}
      {old.length > 0 && (
        <details open={isDenied}>
          <summary>{text.old(old.length)}</summary>
          <ul class="account-list">
            {old.map((device) => (
              <DeviceRow
                key={device.deviceId}
                device={device}
                isHere={device.deviceId === here}
                action={device.isRevocationDenied ? text.revoke : text.lately.open}
                onRename={() => setRenamed(device)}
                onAction={() => (device.isRevocationDenied ? setAsked(device) : setShown(device))}
              />
            ))}
          </ul>
        </details>
      )}
      {renamed !== undefined && (
        <NameDialog
          title={text.rename(keyName(renamed.deviceId))}
          name={renamed.name}
          save={(name) => owner.nameDevice(renamed.deviceId, name)}
          onClose={() => setRenamed(undefined)}
          onSaved={loaded.reload}
        />
      )}
      {asked !== undefined && (
        <RevokeDialog
          device={asked}
          isHere={asked.deviceId === here}
          onClose={() => setAsked(undefined)}
          onRevoked={() => finish(asked)}
        />
      )}
    </Section>
  )
}

interface DeviceRowProps {
  readonly device: ListedDevice
  readonly isHere: boolean
  readonly action: string
  readonly onRename: () => void
  readonly onAction: () => void
}

function DeviceRow({ device, isHere, action, onRename, onAction }: DeviceRowProps) {
  const { devices: text, rename } = useText(accountTexts)
  const format = useText(formats)
  const { deviceId, isOwn, name, nameFault, createdAt, revokedAt, isRevocationDenied } = device
  const key = text.device(keyName(deviceId))
  return (
    <li class="row apart">
      <div class="grow stack tight">
        <span>
          {name === undefined ? key : <Name>{name}</Name>} {isHere && <span class="badge good">{text.here}</span>}{' '}
          {!isOwn && <span class="badge bad">{text.foreign}</span>}{' '}
          {isRevocationDenied && <span class="badge bad">{text.denied}</span>}
        </span>
        {nameFault !== undefined && <span class="badge bad">{rename.fault}</span>}
        <span class="soft small">
          {name !== undefined && `${key} · `}
          {text.added(format.instant(createdAt))}
          {revokedAt !== undefined && ` · ${text.revokedAt(format.instant(revokedAt))}`}
        </span>
      </div>
      <div class="row">
        {isOwn && (
          <Button kind="quiet" onClick={onRename}>
            {rename.button}
            <span class="visually-hidden">: {name ?? key}</span>
          </Button>
        )}
        <Button kind="quiet" onClick={onAction}>
          {action}
          <span class="visually-hidden">: {name ?? key}</span>
        </Button>
      </div>
    </li>
  )
}
