import { join } from 'node:path'
import type { MessengerSettings } from '../adapters/messenger/messenger.ts'
import type { SharedSettings } from '../domain/discovery/sharedSettings.ts'
import { isLoopback } from '../http/names/addresses.ts'
import { endpointText } from './endpoint.ts'
import type { PublicAddress } from './parsers.ts'
import type { Setting } from './setting.ts'
import { SETTINGS, type Values } from './settings.ts'
import type { Environment } from './sources.ts'

/** The settings of a process, checked, in the units that their names end in. */
export interface Config extends Values {
  readonly limitsPath: string
  /** REGISTRATION is unset. Then a request that a proxy forwarded does not count as one from this machine. */
  readonly isRegistrationDefault: boolean
}

/** Reads every setting, or names all faults at once. Ignores variables that are no settings. */
export function readConfig(environment: Environment): Config | { readonly faults: readonly string[] } {
  const { values, faults } = readValues(environment)
  const all = [...faults, ...contradictionsIn(values)]
  if (all.length > 0) return { faults: all }
  return {
    ...values,
    limitsPath: join(values.dataDirectory, 'limits'),
    isRegistrationDefault: textOf(environment, SETTINGS.registration) === undefined,
  }
}

/** The values that all nodes of a server share, by variable. `null`: no value. */
export function sharedSettingsIn(config: Config): SharedSettings {
  const rows: readonly (readonly [string, Setting<unknown>])[] = Object.entries(SETTINGS)
  const values: Readonly<Record<string, unknown>> = { ...config }
  // `shared` accepts only these types of values.
  const shared = rows.filter(([, { isShared }]) => isShared === true)
  return Object.fromEntries(shared.map(([property, { name }]) => [name, values[property] ?? null])) as SharedSettings
}

/** What the messenger needs of the settings, apart from the server's own address. */
export function messengerSettingsIn(config: Config): Omit<MessengerSettings, 'serverId'> {
  const { notify: offered, notifyNetworks: networks, smtp, smtpUser: user, smtpPassword: password, mailFrom } = config
  const isComplete = smtp !== undefined && mailFrom !== undefined
  return {
    offered,
    networks,
    mail: isComplete ? { ...smtp, isLoopback: isLoopback(smtp.host), user, password, from: mailFrom } : undefined,
  }
}

/** The settings as help and documents show them, in the order of the table. */
export function describeSettings(): readonly {
  readonly name: string
  readonly fallback: string
  readonly meaning: string
}[] {
  return Object.values(SETTINGS).map(({ name, shown, meaning }) => ({ name, fallback: shown, meaning }))
}

export function settingLines(): readonly string[] {
  return describeSettings().flatMap(({ name, fallback, meaning }) => [name, `    ${meaning} Default: ${fallback}.`])
}

/** Without `PUBLIC_URL` the address is known only once the server listens, as `PORT` 0 takes a free port. */
export function publicAddressOf(config: Pick<Config, 'publicUrl' | 'host'>, listeningPort: number): PublicAddress {
  if (config.publicUrl !== undefined) return config.publicUrl
  const { origin } = new URL(`http://${endpointText(config.host, listeningPort)}`)
  return { serverId: origin, baseUrl: origin }
}

function readValues(environment: Environment): { readonly values: Values; readonly faults: readonly string[] } {
  const rows: readonly (readonly [string, Setting<unknown>])[] = Object.entries(SETTINGS)
  const faults: string[] = []
  const readOne = (setting: Setting<unknown>): unknown => {
    const text = textOf(environment, setting)
    if (text === undefined) return setting.fallback
    const parsed = setting.parse(text)
    if ('value' in parsed) return parsed.value
    faults.push(`${setting.name} ${parsed.fault}`)
    return setting.fallback
  }
  const read = Object.fromEntries(rows.map(([property, setting]) => [property, readOne(setting)]))
  // Each value comes from the row of its own name; the compiler does not see that.
  const values = read as Values
  for (const [property, { derive }] of rows) read[property] ??= derive?.(values)
  return { values, faults }
}

function textOf(environment: Environment, { name }: Pick<Setting<unknown>, 'name'>): string | undefined {
  const text = environment[name]
  return text === '' ? undefined : text
}

function contradictionsIn(values: Values): readonly string[] {
  const { quotaSoftBytes, quotaHardBytes } = values
  const checks: readonly (readonly [isWrong: boolean, fault: string])[] = [
    [
      values.publicUrl === undefined && !isLoopback(values.host),
      'PUBLIC_URL must be set, because HOST is not a loopback address',
    ],
    [
      values.insecurePublicUrl === 'refused' && isInsecure(values.publicUrl),
      'PUBLIC_URL must begin with https:, or name a loopback address: at other http addresses browsers give the pages no encryption, and the pages work for no person. Put a TLS proxy in front. If only programs use the server, and never a browser, set INSECURE_PUBLIC_URL=allowed',
    ],
    [
      values.metricsPort !== undefined && values.metricsToken === undefined && !isLoopback(values.metricsHost),
      'METRICS_TOKEN must be set, because METRICS_HOST is not a loopback address',
    ],
    [values.metricsPort === values.port, 'METRICS_PORT must be another port than PORT'],
    [values.chunkBytesSuggested > values.chunkBytesMax, 'CHUNK_BYTES_SUGGESTED must be at most CHUNK_BYTES_MAX'],
    [
      values.notify.includes('email') && (values.smtp === undefined || values.mailFrom === undefined),
      'SMTP_URL and MAIL_FROM must be set, because NOTIFY has email',
    ],
    [
      values.alarmEmail !== undefined && (values.smtp === undefined || values.mailFrom === undefined),
      'SMTP_URL and MAIL_FROM must be set, because ALARM_EMAIL is set',
    ],
    [
      (values.alarmWebhook === undefined) !== (values.alarmWebhookSecret === undefined),
      'ALARM_WEBHOOK and ALARM_WEBHOOK_SECRET must be set together',
    ],
    [
      (values.smtpUser === undefined) !== (values.smtpPassword === undefined),
      'SMTP_USER and SMTP_PASSWORD must be set together',
    ],
    [values.protocolMin > values.protocolMax, 'PROTOCOL_MIN must be at most PROTOCOL_MAX'],
    [
      quotaSoftBytes !== undefined && quotaHardBytes !== undefined && quotaSoftBytes > quotaHardBytes,
      'QUOTA_SOFT_BYTES must be at most QUOTA_HARD_BYTES',
    ],
  ]
  return checks.filter(([isWrong]) => isWrong).map(([, fault]) => fault)
}

/** Whether the address is an insecure context (https://www.w3.org/TR/secure-contexts/), without WebCrypto. */
function isInsecure(publicUrl: PublicAddress | undefined): boolean {
  if (publicUrl === undefined) return false
  const { protocol, hostname } = new URL(publicUrl.serverId)
  return protocol === 'http:' && !isLoopback(hostname)
}
