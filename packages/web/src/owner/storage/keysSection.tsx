import type { AuditError } from '@blindkeep/client/errors'
import { isLocalPage } from '../../common/address/localPage.ts'
import { Notice, Progress } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { storageTexts } from '../ground/texts.ts'
import { readServerKeys, type SeenKey } from './serverKeys.ts'

export function KeysSection() {
  const { baseUrl } = useOwnerPages()
  const text = useText(storageTexts)
  const { value, error, reload } = useLoaded(() => readServerKeys(baseUrl), baseUrl)
  return (
    <section class="card stack no-print" aria-labelledby="keys-heading">
      <div class="stack tight">
        <h2 id="keys-heading">{text.keys.heading}</h2>
        <p class="soft">{text.keys.intro}</p>
      </div>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Progress label={text.keys.heading} />}
      {value?.alarm !== undefined && (
        <Notice tone="bad">
          <p>
            <strong>{text.keys.alarmTitle}</strong>
          </p>
          <p>{text.audit[value.alarm.reason]}</p>
          <p>{text.keys.alarm}</p>
          {isAboutKnownKeys(value.alarm) && <p>{isLocalPage ? text.keys.acceptLocal : text.keys.accept}</p>}
        </Notice>
      )}
      {value?.canRemember === false && (
        <Notice tone="warn">
          <p>{text.keys.cannotRemember}</p>
        </Notice>
      )}
      {value !== undefined && value.alarm === undefined && value.isFirstSight && value.canRemember && (
        <p class="small">{text.keys.freshAll}</p>
      )}
      {value !== undefined && value.keys.length > 0 && (
        <>
          {value.alarm !== undefined && <h3>{text.keys.remembered}</h3>}
          <ul class="outcomes">
            {value.keys.map((key) => (
              <KeyRow key={key.keyId} one={key} isAlarm={value.alarm !== undefined} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

/** The published list contradicts the remembered one, which this browser can forget. */
function isAboutKnownKeys({ reason }: AuditError): boolean {
  return reason === 'key_vanished' || reason === 'key_changed' || reason === 'moves_vanished'
}

interface KeyRowProps {
  readonly one: SeenKey
  readonly isAlarm: boolean
}

function KeyRow({ one: { keyId, activeFrom, activeTo, isKnown }, isAlarm }: KeyRowProps) {
  const text = useText(storageTexts).keys
  const format = useText(formats)
  const from = format.instant(activeFrom)
  return (
    <li class="stack tight">
      <p class="mono">
        <span class="visually-hidden">{text.id} </span>
        {keyId}
      </p>
      <p class="row">
        {!isAlarm && <span class="badge">{activeTo === undefined ? text.active : text.former}</span>}
        <span class="badge">{isKnown ? text.known : text.fresh}</span>
        <span class="small soft">
          {activeTo === undefined ? text.since(from) : text.until(from, format.instant(activeTo))}
        </span>
      </p>
    </li>
  )
}
