import type { OwnSession } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Name } from '../../common/controls.tsx'
import { formats } from '../../common/format.ts'
import { useText } from '../../common/reader.ts'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorTexts } from '../errorText.ts'
import { NameDialog } from '../nameDialog.tsx'
import type { PageSession } from '../session.ts'
import { SignOutQuestion, useSignOut } from '../signOut.tsx'
import { accountTexts } from '../texts.ts'
import { whenTied } from '../tiedSession.ts'
import { useAction } from '../useAction.ts'
import { keyName } from './keyName.ts'
import { Section } from './section.tsx'

interface SessionsSectionProps {
  readonly session: PageSession
  /** Counts the times that another section has ended sessions: the list is loaded again. */
  readonly endings: number
}

/** The account's sessions: this browser first, then the last used ones. */
export function SessionsSection({ session, endings }: SessionsSectionProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(accountTexts).sessions
  const errorText = useText(errorTexts)
  const loaded = useLoaded(async () => {
    await whenTied(owner)
    return owner.sessions()
  }, String(endings))
  const signOut = useSignOut(session)
  const action = useAction()
  const [renamed, setRenamed] = useState<OwnSession>()
  const sessions = [...(loaded.value ?? [])].sort(
    (one, other) =>
      Number(other.isCurrent) - Number(one.isCurrent) || Date.parse(other.lastUsedAt) - Date.parse(one.lastUsedAt),
  )
  const others = sessions.filter(({ isCurrent }) => !isCurrent)
  const end = (ended: readonly OwnSession[], message: string) =>
    action.run(async () => {
      try {
        for (const { sessionId } of ended) await owner.endSession(sessionId)
        showMessage({ tone: 'good', text: message })
      } catch (error) {
        showMessage({ tone: 'bad', text: errorText(error) })
      }
      loaded.reload()
    })
  return (
    <Section title={text.title}>
      <p class="soft">{text.explain}</p>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} onRetry={loaded.reload} />}
      <ul class="account-list">
        {sessions.map((entry) => (
          <SessionRow
            key={entry.sessionId}
            entry={entry}
            isBusy={action.isBusy}
            onRename={() => setRenamed(entry)}
            onEnd={() => (entry.isCurrent ? signOut.begin() : void end([entry], text.ended))}
          />
        ))}
      </ul>
      {loaded.value !== undefined && others.length === 0 && <p class="soft small">{text.none}</p>}
      {others.length > 1 && (
        <div>
          <Button kind="danger" busy={action.isBusy} onClick={() => void end(others, text.othersEnded)}>
            {text.endOthers}
          </Button>
        </div>
      )}
      {renamed !== undefined && (
        <NameDialog
          title={text.rename}
          name={renamed.name}
          save={(name) => owner.nameSession(renamed.sessionId, name)}
          onClose={() => setRenamed(undefined)}
          onSaved={loaded.reload}
        />
      )}
      <SignOutQuestion signOut={signOut} />
    </Section>
  )
}

interface SessionRowProps {
  readonly entry: OwnSession
  readonly isBusy: boolean
  readonly onRename: () => void
  readonly onEnd: () => void
}

function SessionRow({ entry, isBusy, onRename, onEnd }: SessionRowProps) {
  const { owner } = useOwnerPages()
  const { sessions: text, rename } = useText(accountTexts)
  const format = useText(formats)
  const { name, nameFault, deviceId, isCurrent, createdAt, lastUsedAt } = entry
  const since = text.signedIn(format.instant(createdAt))
  return (
    <li class="row apart">
      <div class="grow stack tight">
        <span>
          {name === undefined ? since : <Name>{name}</Name>} {isCurrent && <span class="badge good">{text.here}</span>}
        </span>
        {nameFault !== undefined && <span class="badge bad">{rename.fault}</span>}
        <span class="soft small">
          {name !== undefined && `${since} · `}
          {text.lastUsed(format.age(lastUsedAt, owner.now()))}
          {' · '}
          {deviceId === undefined ? text.withoutKey : text.withKey(keyName(deviceId))}
        </span>
      </div>
      <div class="row">
        <Button kind="quiet" disabled={isBusy} onClick={onRename}>
          {rename.button}
          <span class="visually-hidden">: {name ?? since}</span>
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={onEnd}>
          {text.end}
          <span class="visually-hidden">: {name ?? since}</span>
        </Button>
      </div>
    </li>
  )
}
