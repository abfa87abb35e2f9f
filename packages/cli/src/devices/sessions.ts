/** `sessions list`, `sessions name`, `sessions end`. */
import type { OwnSession } from '@blindkeep/client/owner'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { logout } from '../account/whoami.ts'
import { agrees } from '../ground/ask.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { type Picking, pick } from '../ground/pick.ts'
import { shrinking } from '../ground/table.ts'
import { namedText, shortId, shown, timeText } from '../ground/texts.ts'
import { tellNameFaults } from './named.ts'

export async function listSessions(flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const sessions = await owner.sessions()
  const rows = sessions.map((session) => ({ cells: cellsOf(session), fact: sessionFacts(session) }))
  const headings = ['ID', shrinking('NAME'), 'DEVICE', 'SIGNED IN', 'LAST USED', '']
  report.list(headings, rows, 'There are no sessions.')
  return tellNameFaults(
    sessions.filter(({ nameFault }) => nameFault !== undefined).map(({ sessionId }) => sessionId),
    { what: 'session', report },
  )
}

function cellsOf({ sessionId, name = '', deviceId, createdAt, lastUsedAt, isCurrent }: OwnSession): readonly string[] {
  const device = deviceId === undefined ? 'none' : shortId(deviceId)
  const here = isCurrent ? 'this one' : ''
  return [shortId(sessionId), shown(name), device, timeText(createdAt), isCurrent ? 'now' : timeText(lastUsedAt), here]
}

export function sessionFacts({ sessionId, name, deviceId, createdAt, lastUsedAt, isCurrent }: OwnSession) {
  return {
    session_id: sessionId,
    name,
    device_id: deviceId,
    created_at: createdAt,
    last_used_at: lastUsedAt,
    is_current: isCurrent,
  }
}

const SESSION: Picking<OwnSession> = {
  what: 'session',
  listedBy: 'sessions list',
  id: ({ sessionId }) => sessionId,
  name: ({ name }) => name,
}

export async function nameSession(given: string, name: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { sessionId } = pick(await owner.sessions(), given, SESSION)
  await owner.nameSession(sessionId, name)
  report.result(`The session ${shortId(sessionId)} is now ${shown(name)}.`, {
    event: 'named',
    session_id: sessionId,
    name,
  })
  return EXIT.done
}

export async function endSession(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const session = pick(await owner.sessions(), given, SESSION)
  const { sessionId, isCurrent } = session
  const here = isCurrent ? ' It is the session of this profile: you are signed out here.' : ''
  if (!(await agrees(`End the session ${namedText(sessionId, session)}?${here}`, flags))) return EXIT.failed
  if (isCurrent) return await logout(flags)
  await owner.endSession(sessionId)
  report.result(`The session ${shortId(sessionId)} has ended.`, { event: 'ended', session_id: sessionId })
  return EXIT.done
}
