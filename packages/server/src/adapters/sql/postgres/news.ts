import { type AccountId, parseAccountId } from '@blindkeep/protocol/ids'
import type { News } from '../../../ports/node.ts'
import type { NodeConnection } from './nodeConnection.ts'

export const NEWS_CHANNEL = 'blindkeep_changes'

/** A notification has less than 8,000 bytes. */
const MAX_ACCOUNTS = 150

export interface PostgresNews extends News {
  /** A notification has arrived. */
  heard(payload: string): void
  /** Notifications may have been missed. */
  missed(): void
}

/**
 * Notifications, each a list of a node and accounts. They have statements of their own, after the commits: PostgreSQL
 * lets transactions with notifications commit only one after another. What is announced during a round trip travels
 * with the next one.
 */
export function createPostgresNews(
  nodeId: string,
  connection: () => Pick<NodeConnection, 'ask'>,
  /** Whether another node may listen. One that has just started looks by itself. */
  hasOthers: () => boolean,
): PostgresNews {
  const announced = new Set<AccountId>()
  let isTelling = false
  const listeners: Parameters<News['onNews']>[0][] = []
  const hear: Parameters<News['onNews']>[0] = (accountIds) => {
    for (const listener of listeners) listener(accountIds)
  }

  async function tell(): Promise<void> {
    if (isTelling) return
    isTelling = true
    try {
      while (announced.size > 0) {
        const some = [...announced].slice(0, MAX_ACCOUNTS)
        for (const accountId of some) announced.delete(accountId)
        await connection().ask(`select pg_notify('${NEWS_CHANNEL}', $1)`, [[nodeId, ...some].join(' ')])
      }
    } catch {
      // Listeners look from time to time.
      announced.clear()
    } finally {
      isTelling = false
    }
  }

  return {
    announce(accountIds) {
      for (const accountId of accountIds) announced.add(accountId)
      if (!hasOthers()) announced.clear()
      else if (announced.size > 0) void tell()
    },
    onNews(listener) {
      listeners.push(listener)
    },
    heard(payload) {
      const [from, ...texts] = payload.split(' ')
      if (from !== nodeId) hear(texts.flatMap((text) => parseAccountId(text) ?? []))
    },
    missed: () => hear(),
  }
}
