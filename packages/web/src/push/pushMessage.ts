/** What the server sends to a browser (`packages/server/src/adapters/messenger/push.ts`), decrypted by the browser. */
import { parseInstant } from '@blindkeep/protocol/ids'
import { isCount, isObject, parseJson } from '@blindkeep/protocol/json'

export type PushMessage =
  | {
      readonly about: 'landings'
      /** The same for a repeat. */
      readonly id: string
      readonly count: number
      readonly isNearlyFull: boolean
      readonly isRefused: boolean
      /** RFC 3339. */
      readonly lastAt: string
      /** The host of the server. */
      readonly server: string
    }
  | { readonly about: 'test'; readonly id: string; readonly server: string }

/** Undefined for what no server of this version sends. */
export function readPushMessage(text: string): PushMessage | undefined {
  const given = parseJson(text)
  if (!isObject(given)) return undefined
  const { about, id, count, last_at: lastAt, server, ...more } = given
  if (typeof id !== 'string' || typeof server !== 'string') return undefined
  if (about === 'test') return { about, id, server }
  const [isNearlyFull, isRefused] = [more.nearly_full === true, more.refused === true]
  const least = isNearlyFull || isRefused ? 0 : 1
  const isWhole = isCount(count) && count >= least
  const isTime = typeof lastAt === 'string' && parseInstant(lastAt) !== undefined
  return about === 'landings' && isWhole && isTime
    ? { about, id, count, isNearlyFull, isRefused, lastAt, server }
    : undefined
}
