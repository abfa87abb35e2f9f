import type { Instant } from '@blindkeep/protocol/ids'
import type { Session } from '../../ports/store.ts'

export function isLive(session: Pick<Session, 'endedAt' | 'expiresAt'>, now: Instant): boolean {
  return session.endedAt === undefined && now < session.expiresAt
}
