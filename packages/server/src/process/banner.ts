import { resolve } from 'node:path'
import { formatInstant } from '@blindkeep/protocol/ids'
import { inviteLink } from '@blindkeep/protocol/inviteLink'
import { type Config, publicAddressOf } from '../config/config.ts'
import { endpointText } from '../config/endpoint.ts'
import type { SettingSources } from '../config/sources.ts'
import { isOfThisMachine, newServerWarnings, startWarnings } from '../config/startWarnings.ts'
import { unknownSettingLines } from '../config/unknownSettings.ts'
import type { IssuedInvite } from '../domain/account/invites.ts'
import { isInviteThroughProxy } from '../domain/account/registration.ts'

interface Start {
  readonly config: Config
  readonly given: SettingSources
  readonly port: number
  readonly hasPages: boolean
  readonly hasAccounts: boolean
  readonly invite: IssuedInvite | undefined
  /** Of what the data showed. Those of the settings are added. */
  readonly warnings: readonly string[]
}

/** What an operator reads at the start. */
export function banner({ config, given, port, invite, warnings, ...start }: Start): readonly string[] {
  const { file } = given
  const { baseUrl } = publicAddressOf(config, port)
  return [
    `Blindkeep is listening on ${endpointText(config.host, port)}`,
    `  address       ${baseUrl}`,
    `  data          ${resolve(config.dataDirectory)}`,
    ...(file === undefined ? [] : [`  settings      ${file.path}, and the environment`]),
    ...databaseLines(config.database),
    ...bucketLines(config.blobs),
    `  master secret ${resolve(config.masterSecretFile)} (keep a copy elsewhere: without it, the server’s keys are lost)`,
    `  registration  ${registrationText(config)}`,
    ...metricsLines(config),
    ...(invite === undefined
      ? []
      : [
          `  first invite  ${inviteLink(baseUrl, invite.code)} until ${formatInstant(invite.expiresAt)} (shown only once)`,
        ]),
    ...[...unknownSettingLines(given), ...startWarnings(config), ...newServerWarnings(config, start), ...warnings].map(
      (warning) => `Warning: ${warning}`,
    ),
    ...nextLines(baseUrl, start),
    `${baseUrl}/openapi.json describes the interface. Ctrl-C stops the server.`,
  ]
}

function registrationText(config: Config): string {
  const { registration } = config
  if (registration !== 'invite' && !isInviteThroughProxy(config)) return registration
  const who = registration === 'invite' ? registration : 'open on this machine, by invite through the proxy'
  return `${who}: \`blindkeep-server account invite\` makes a code`
}

function nextLines(baseUrl: string, { hasPages, hasAccounts }: Pick<Start, 'hasPages' | 'hasAccounts'>) {
  if (!hasPages) return ['The pages are not built, so a browser shows nothing: run `npm run build`, then start again.']
  const next = `Next: open ${baseUrl}/ in a browser, ${hasAccounts ? 'sign in' : 'register'}, and make a link`
  return isOfThisMachine(baseUrl)
    ? [`${next}. It opens on this machine only: docs/moving.md says how to give the server a name for others.`]
    : [`${next} for each person who has files for you.`]
}

/** Where PostgreSQL is, without user and password. */
function databaseLines(database: Config['database']): readonly string[] {
  if (database.kind === 'sqlite') return []
  const { hostname, port, pathname, searchParams } = new URL(database.url)
  const host = searchParams.get('host') ?? (hostname || 'localhost')
  return [`  database      ${pathname.slice(1)} of PostgreSQL at ${host}${port === '' ? '' : `:${port}`}`]
}

function metricsLines({ metricsHost, metricsPort }: Config): readonly string[] {
  if (metricsPort === undefined) return []
  const at = `http://${endpointText(metricsHost, metricsPort)}`
  return [`  metrics       ${at}/metrics`, `  status        ${at}/status`]
}

function bucketLines(blobs: Config['blobs']): readonly string[] {
  if (blobs.kind === 'files') return []
  const { bucket, prefix, endpoint } = blobs.address
  return [`  files         bucket ${bucket}${endpoint === undefined ? '' : ` at ${endpoint}`}, below /${prefix}`]
}
