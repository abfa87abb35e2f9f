import type { ListedDevice } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { storedDevice } from '../browser/device.ts'
import { keyName } from '../ground/keyName.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import type { PageSession } from '../session/session.ts'
import { whenTied } from '../session/tiedSession.ts'
import { AfterRevoking } from './afterRevoking.tsx'
import { type NamedEntry, NamedList } from './namedList.tsx'
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
  const format = useText(formats)
  const loaded = useLoaded(async () => {
    await whenTied(owner)
    const [devices, stored] = await Promise.all([owner.devices(), storedDevice(owner)])
    return { devices, here: stored?.deviceId }
  })
  const [asked, setAsked] = useState<ListedDevice>()
  const [shown, setShown] = useState<ListedDevice>()
  const { devices = [], here } = loaded.value ?? {}
  const live = devices.filter(({ revokedAt }) => revokedAt === undefined)
  const old = devices.filter(({ revokedAt }) => revokedAt !== undefined)
  const isDenied = old.some(({ isRevocationDenied }) => isRevocationDenied)
  const finish = (device: ListedDevice) => {
    // With the key of this browser the page of this account is over.
    if (device.deviceId === here) return
    setAsked(undefined)
    showMessage({ tone: 'good', text: text.revoked })
    setShown(device)
    loaded.reload()
    onEnded()
  }
  const entryOf = (device: ListedDevice): NamedEntry => {
    const { deviceId, isOwn, name, nameFault, createdAt, revokedAt, isRevocationDenied } = device
    const key = text.device(keyName(deviceId))
    const isRevoked = revokedAt !== undefined && !isRevocationDenied
    const facts = [
      ...(name === undefined ? [] : [key]),
      text.added(format.instant(createdAt)),
      ...(revokedAt === undefined ? [] : [text.revokedAt(format.instant(revokedAt))]),
    ]
    return {
      ...{ id: deviceId, name, nameFault, otherwise: key, facts: facts.join(' · ') },
      badges: <Badges device={device} isHere={deviceId === here} />,
      rename: isOwn
        ? { title: text.rename(keyName(deviceId)), save: (given) => owner.nameDevice(deviceId, given) }
        : undefined,
      action: isRevoked ? text.lately.open : text.revoke,
      onAction: () => (isRevoked ? setShown(device) : setAsked(device)),
    }
  }
  return (
    <Section title={text.title} explain={text.explain} loaded={loaded}>
      {shown !== undefined && (
        <AfterRevoking key={shown.deviceId} device={shown} onEnded={onEnded} onClose={() => setShown(undefined)} />
      )}
      {live.some(({ isOwn }) => !isOwn) && <Notice tone="warn">{text.foreignExplain}</Notice>}
      {isDenied && <Notice tone="bad">{text.deniedExplain}</Notice>}
      {loaded.value !== undefined && devices.length === 0 && <p class="small soft">{text.none}</p>}
      {live.length > 0 && <NamedList entries={live.map(entryOf)} onSaved={loaded.reload} />}
      {old.length > 0 && (
        <details open={isDenied}>
          <summary>{text.old(old.length)}</summary>
          <NamedList entries={old.map(entryOf)} onSaved={loaded.reload} />
        </details>
      )}
      {asked !== undefined && (
        <RevokeDialog
          device={asked}
          isHere={asked.deviceId === here}
          session={session}
          onClose={() => setAsked(undefined)}
          onRevoked={() => finish(asked)}
        />
      )}
    </Section>
  )
}

function Badges({ device, isHere }: { readonly device: ListedDevice; readonly isHere: boolean }) {
  const text = useText(accountTexts).devices
  return (
    <>
      {' '}
      {isHere && <span class="badge good">{text.here}</span>}{' '}
      {!device.isOwn && <span class="badge bad">{text.foreign}</span>}{' '}
      {device.isRevocationDenied && <span class="badge bad">{text.denied}</span>}
    </>
  )
}
