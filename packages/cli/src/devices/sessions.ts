/** `sessions list`, `sessions end`. */
import type { OwnSession } from '@blindkeep/client/owner'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { logout } from '../account/whoami.ts'
import { agrees } from '../ask.ts'
import { EXIT, type Exit } from '../exits.ts'
import { pick } from '../pick.ts'
import { shortId, timeText } from '../texts.ts'

export async function listSessions(flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const rows = (await owner.sessions()).map((session) => ({ cells: cellsOf(session), fact: sessionFacts(session) }))
  report.list(['ID', 'DEVICE', 'SIGNED IN', 'LAST USED', ''], rows, 'There are no sessions.')
  return EXIT.done
}

function cellsOf({ sessionId, deviceId, createdAt, lastUsedAt, isCurrent }: OwnSession): readonly string[] {
  const device = deviceId === undefined ? 'none' : shortId(deviceId)
  return [shortId(sessionId), device, timeText(createdAt), timeText(lastUsedAt), isCurrent ? 'this one' : '']
}

export function sessionFacts({ sessionId, deviceId, createdAt, lastUsedAt, isCurrent }: OwnSession) {
  return {
    session_id: sessionId,
    device_id: deviceId,
    created_at: createdAt,
    last_used_at: lastUsedAt,
    is_current: isCurrent,
  }
}

export async function endSession(given: string, flags: OwnerFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const { sessionId, isCurrent } = pick(await owner.sessions(), given, {
    what: 'session',
    listedBy: 'sessions list',
    id: (session) => session.sessionId,
  })
  const here = isCurrent ? ' It is the session of this profile: you are signed out here.' : ''
  if (!(await agrees(`End the session ${shortId(sessionId)}?${here}`, flags))) return EXIT.failed
  if (isCurrent) return await logout(flags)
  await owner.endSession(sessionId)
  report.result(`The session ${shortId(sessionId)} has ended.`, { event: 'ended', session_id: sessionId })
  return EXIT.done
}
