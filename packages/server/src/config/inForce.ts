import { type Config, publicAddressOf } from './config.ts'
import { endpointText } from './endpoint.ts'
import type { Setting } from './setting.ts'
import { SETTINGS } from './settings.ts'
import type { SettingSources } from './sources.ts'

interface SettingInForce {
  readonly name: string
  /** As a person writes it. Secrets are hidden, and so are user and password of the database. */
  readonly value: string
  /** `default`, `environment`, an option, or the path of a file. */
  readonly origin: string
}

/** What a server with these settings would do, and why. In the order of the table. */
export function settingsInForce(config: Config, { environment, origins }: SettingSources): readonly SettingInForce[] {
  const rows = Object.entries(SETTINGS) as readonly (readonly [keyof typeof SETTINGS, Setting<unknown>])[]
  // A free port is known only to the running server.
  const values = config.port === 0 ? config : { ...config, publicUrl: publicAddressOf(config, config.port) }
  return rows.map(([property, { name, isSecret, shown }]) => {
    const isGiven = environment[name] !== undefined
    return {
      name,
      value: isSecret === true && isGiven ? '(hidden)' : (textOf(values[property]) ?? shown),
      origin: isGiven ? (origins[name] ?? 'environment') : 'default',
    }
  })
}

type Value = Config[keyof typeof SETTINGS]
type Plain = string | number | boolean | readonly string[] | undefined

/** Undefined for no value. */
function textOf(value: Value): string | undefined {
  if (typeof value === 'object' && !isList(value)) return addressText(value)
  if (isList(value)) return value.length === 0 ? undefined : value.join(',')
  return value === undefined ? undefined : String(value)
}

const isList = (value: Value): value is Extract<Value, readonly unknown[]> => Array.isArray(value)

function addressText(address: Exclude<Value, Plain>): string {
  if ('baseUrl' in address) return address.baseUrl
  if ('isTls' in address) return `${address.isTls ? 'smtps' : 'smtp'}://${endpointText(address.host, address.port)}`
  switch (address.kind) {
    case 'sqlite':
      return `sqlite:${address.path}`
    case 'postgres': {
      const { protocol, host, pathname } = new URL(address.url)
      return `${protocol}//${host}${pathname} (the rest is hidden)`
    }
    case 'files':
      return `file:${address.directory}`
    case 's3': {
      const { bucket, prefix, endpoint, region } = address.address
      return `s3://${bucket}/${prefix}?region=${region}${endpoint === undefined ? '' : `&endpoint=${endpoint}`}`
    }
  }
}
