/**
 * How much the server sends to an address for all accounts together. Without these limits many accounts, or channels
 * that are removed and added again, would make it a tool against a stranger.
 */
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Target } from '../../ports/messenger.ts'

/** Of one account, in 15 minutes: tests, and codes of e-mail addresses. */
export const MAX_REQUESTED_OF_ACCOUNT = 10
const REQUEST_WINDOW_SECONDS = 900
/** Codes to one mailbox, of all accounts, in a day. */
export const MAX_CODES_OF_MAILBOX = 3
const DAY_SECONDS = 86_400
/** Messages about files for one account, over all its channels. Two windows may meet in one minute: then ten. */
export const MAX_NEWS_OF_ACCOUNT = 5
/** Messages of any kind, of all accounts. Owners may share an address, and many share the service of a vendor. */
export const MAX_MESSAGES_OF_ADDRESS = 10
export const MAX_MESSAGES_OF_HOST = 150
const MINUTE_SECONDS = 60

/** Each counts a message before it is sent, and answers the seconds to wait if it must not be. */
export function createSendingLimits({ limiter }: { readonly limiter: Pick<Limiter, 'take'> }) {
  return {
    news: (accountId: AccountId, target: Target) =>
      limiter.take([
        { rule: 'news-of-account', key: accountId, max: MAX_NEWS_OF_ACCOUNT, windowSeconds: MINUTE_SECONDS },
        ...ofReceiver(target),
      ]),

    test: (accountId: AccountId, target: Target) => limiter.take([requestOf(accountId), ...ofReceiver(target)]),

    code: (accountId: AccountId, target: Target) =>
      limiter.take([
        requestOf(accountId),
        { rule: 'codes-of-mailbox', key: addressOf(target), max: MAX_CODES_OF_MAILBOX, windowSeconds: DAY_SECONDS },
        ...ofReceiver(target),
      ]),
  }
}

function requestOf(accountId: AccountId): Limit {
  const [max, windowSeconds] = [MAX_REQUESTED_OF_ACCOUNT, REQUEST_WINDOW_SECONDS]
  return { rule: 'channel-tests-of-account', key: accountId, max, windowSeconds }
}

function ofReceiver(target: Target): readonly Limit[] {
  const windowSeconds = MINUTE_SECONDS
  return [
    { rule: 'messages-of-address', key: addressOf(target), max: MAX_MESSAGES_OF_ADDRESS, windowSeconds },
    { rule: 'messages-of-host', key: hostOf(target), max: MAX_MESSAGES_OF_HOST, windowSeconds },
  ]
}

/**
 * One spelling of what one person has. A mailbox without what many mail servers take no notice of: dots, and what
 * follows a `+`. A URL without its query, in which many spellings lead to one place.
 */
function addressOf(target: Target): string {
  if (target.kind === 'email') {
    const [local = ''] = target.address.split('@')
    return `${local.replace(/\+.*$/, '').replaceAll('.', '')}@${hostOf(target)}`
  }
  const { pathname, port } = new URL(target.url)
  return `${hostOf(target)}:${port}${pathname.toLowerCase().replace(/\/+$/, '')}`
}

function hostOf(target: Target): string {
  const host = target.kind === 'email' ? target.address.replace(/^.*@/, '') : new URL(target.url).hostname
  return host.toLowerCase().replace(/\.$/, '')
}
