import type { Config } from '../config.ts'
import type { Given } from './given.ts'
import type { BlobsAddress, DatabaseAddress, PublicAddress } from './parsers.ts'
import type { Setting } from './setting.ts'
import { SETTINGS } from './settings.ts'

interface SettingInForce {
  readonly name: string
  /** As a person writes it. Secrets are hidden, and so are user and password of the database. */
  readonly value: string
  /** `default`, `environment`, an option, or the path of a file. */
  readonly origin: string
}

/** What a server with these settings would do, and why. In the order of the table. */
export function settingsInForce(config: Config, { environment, origins }: Given): readonly SettingInForce[] {
  const rows: readonly (readonly [string, Setting<unknown>])[] = Object.entries(SETTINGS)
  const values: Readonly<Record<string, unknown>> = { ...config }
  return rows.map(([property, { name, isSecret, shown }]) => {
    const value = values[property]
    const isGiven = environment[name] !== undefined
    return {
      name,
      value: isSecret === true && isGiven ? '(hidden)' : (textOf(value) ?? shown),
      origin: isGiven ? (origins[name] ?? 'environment') : 'default',
    }
  })
}

type Address = PublicAddress | DatabaseAddress | BlobsAddress

/** Undefined for no value. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(',')
  // The table has no other objects.
  return typeof value === 'object' ? addressText(value as Address) : String(value)
}

function addressText(address: Address): string {
  if ('baseUrl' in address) return address.baseUrl
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
