import type { OwnSession } from '@blindkeep/client/owner'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { Button } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { errorTexts } from '../ground/errorText.ts'
import { keyName } from '../ground/keyName.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import type { PageSession } from '../session/session.ts'
import { SignOutQuestion, useSignOut } from '../session/signOut.tsx'
import { whenTied } from '../session/tiedSession.ts'
import { type NamedEntry, NamedList } from './namedList.tsx'
import { Section } from './section.tsx'

interface SessionsSectionProps {
  readonly session: PageSession
  /** Counts the times that another section has ended sessions: the list is loaded again. */
  readonly endings: number
}

/** The server notes a use only when a session renews its access, every quarter of an hour: no minute would be true. */
const COARSE_MS = 3_600_000

/** The account's sessions: this browser first, then the last used ones. */
export function SessionsSection({ session, endings }: SessionsSectionProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(accountTexts).sessions
  const errorText = useText(errorTexts)
  const format = useText(formats)
  const loaded = useLoaded(async () => {
    await whenTied(owner)
    return owner.sessions()
  }, String(endings))
  const signOut = useSignOut(session)
  const action = useAction()
  const sessions = [...(loaded.value ?? [])].sort(
    (one, other) =>
      Number(other.isCurrent) - Number(one.isCurrent) ||
      millisecondsOf(other.lastUsedAt) - millisecondsOf(one.lastUsedAt),
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
  const entryOf = (entry: OwnSession): NamedEntry => {
    const { sessionId, name, nameFault, deviceId, isCurrent, createdAt, lastUsedAt } = entry
    const since = text.signedIn(format.instant(createdAt))
    const isRecent = owner.now() - millisecondsOf(lastUsedAt) < COARSE_MS
    const used = isRecent ? text.usedLately : text.lastUsed(format.age(lastUsedAt, owner.now()))
    const key = deviceId === undefined ? text.withoutKey : text.withKey(keyName(deviceId))
    return {
      ...{ id: sessionId, name, nameFault, otherwise: since },
      badges: <> {isCurrent && <span class="badge good">{text.here}</span>}</>,
      facts: [...(name === undefined ? [] : [since]), isCurrent ? text.inUse : used, key].join(' · '),
      rename: { title: text.rename, save: (given) => owner.nameSession(sessionId, given) },
      action: text.end,
      onAction: () => (isCurrent ? signOut.begin() : void end([entry], text.ended)),
    }
  }
  return (
    <Section title={text.title} explain={text.explain} loaded={loaded}>
      <NamedList entries={sessions.map(entryOf)} isBusy={action.isBusy} onSaved={loaded.reload} />
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
