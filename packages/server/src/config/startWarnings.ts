import { isLoopback } from '../http/names/addresses.ts'
import type { Config } from './config.ts'

/** What an operator whose server strangers can reach should know at the start. Each is a sentence for people. */
export function startWarnings(
  config: Pick<Config, 'publicUrl' | 'registration' | 'quotaHardBytes' | 'trustedProxies'>,
): readonly string[] {
  const { publicUrl, registration, quotaHardBytes, trustedProxies } = config
  if (publicUrl === undefined || isOfThisMachine(publicUrl.serverId)) return []
  const strangers = registration === 'open' ? 'Everyone may register, and every' : 'Every'
  const checks: readonly (readonly [isTrue: boolean, warning: string])[] = [
    [
      quotaHardBytes === undefined,
      `No quota is set. ${strangers} guest of a link without a byte limit can fill the disk. Set QUOTA_HARD_BYTES, or use \`blindkeep-server account quota\`.`,
    ],
    [
      // Blindkeep speaks plain HTTP, so a proxy ends TLS; at a plain address there may be one all the same.
      trustedProxies.length === 0,
      'TRUST_PROXY names no proxy. Behind a proxy on this machine or network, no client has an address for the limits and the log: one client can use up the sessions and passphrase attempts of a link, and the sign-in attempts of an account, for all others.',
    ],
  ]
  return checks.filter(([isTrue]) => isTrue).map(([, warning]) => warning)
}

/**
 * The same of what the data showed: the memory that there was a server is in the data, so where the data is missing, an
 * empty directory is all that a start sees.
 */
export function newServerWarnings(
  { publicUrl, firstStart }: Pick<Config, 'publicUrl' | 'firstStart'>,
  { hasAccounts }: { readonly hasAccounts: boolean },
): readonly string[] {
  if (publicUrl === undefined || isOfThisMachine(publicUrl.serverId)) return []
  if (!hasAccounts)
    return [
      `There is no account. If ${publicUrl.serverId} had accounts before, stop now: the disk of the data is not mounted, or DATA_DIR or DATABASE_URL is another one. People who had an account there read that their session is over or that the password is wrong, and guests that their link has expired: only \`blindkeep audit\` says that this is another server.`,
    ]
  if (firstStart === 'refused') return []
  return [
    'FIRST_START=refused is not set, and this server has accounts. Without it, a start whose disk is not mounted makes a new server under this address.',
  ]
}

/** Whether no other machine can open this address. */
export const isOfThisMachine = (url: string) => isLoopback(new URL(url).hostname)
