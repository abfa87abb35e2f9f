import type { OwnSession } from '@blindkeep/client/owner'
import { Button } from '../../common/controls.tsx'
import { formatAge, formatInstant } from '../../common/format.ts'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorText } from '../errorText.ts'
import type { PageSession } from '../session.ts'
import { SignOutQuestion, useSignOut } from '../signOut.tsx'
import { accountText } from '../texts.ts'
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
  const { owner, language, showMessage } = useOwnerPages()
  const text = accountText(language).sessions
  const loaded = useLoaded(async () => {
    await whenTied(owner)
    return owner.sessions()
  }, String(endings))
  const signOut = useSignOut(session)
  const action = useAction()
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
        showMessage({ tone: 'bad', text: errorText(error, language) })
      }
      loaded.reload()
    })
  return (
    <Section title={text.title}>
      <p class="soft">{text.explain}</p>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} language={language} onRetry={loaded.reload} />}
      <ul class="account-list">
        {sessions.map((entry) => (
          <SessionRow
            key={entry.sessionId}
            entry={entry}
            isBusy={action.isBusy}
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
      <SignOutQuestion signOut={signOut} />
    </Section>
  )
}

interface SessionRowProps {
  readonly entry: OwnSession
  readonly isBusy: boolean
  readonly onEnd: () => void
}

function SessionRow({ entry, isBusy, onEnd }: SessionRowProps) {
  const { language } = useOwnerPages()
  const text = accountText(language).sessions
  const since = formatInstant(entry.createdAt, language)
  return (
    <li class="row apart">
      <div class="grow stack tight">
        <span>
          {text.signedIn(since)} {entry.isCurrent && <span class="badge good">{text.here}</span>}
        </span>
        <span class="soft small">
          {text.lastUsed(formatAge(entry.lastUsedAt, Date.now(), language))}
          {' · '}
          {entry.deviceId === undefined ? text.withoutKey : text.withKey(keyName(entry.deviceId))}
        </span>
      </div>
      <Button kind="quiet" disabled={isBusy} onClick={onEnd}>
        {text.end}
        <span class="visually-hidden">: {text.signedIn(since)}</span>
      </Button>
    </li>
  )
}
