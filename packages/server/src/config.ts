import { BlockList, isIP } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PublicAddress } from './config/parsers.ts'
import { type Registration, SETTINGS, type Setting } from './config/settings.ts'

/** The settings of a process, checked, in the units that their names end in. */
export type Config = ReturnType<typeof completed>

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads every setting, or names all that is wrong at once. Variables that are no settings are not looked at. */
export function readConfig(environment: Environment): Config | { readonly faults: readonly string[] } {
  const faults: string[] = []
  const values = readValues((setting) => {
    const given = environment[setting.name]
    if (given === undefined || given === '') return setting.fallback
    const parsed = setting.parse(given)
    if ('value' in parsed) return parsed.value
    faults.push(`${setting.name} ${parsed.fault}`)
    return setting.fallback
  })
  faults.push(...contradictions(values))
  return faults.length > 0 ? { faults } : completed(values)
}

/** What help and documents say of each setting, in the order of the table. */
export function describeSettings(): readonly {
  readonly name: string
  readonly fallback: string
  readonly meaning: string
}[] {
  return Object.values(SETTINGS).map(({ name, shown, meaning }) => ({ name, fallback: shown, meaning }))
}

/** Where the server is reached. Without `PUBLIC_URL` that is known only once it listens, as `PORT` 0 takes any free port. */
export function publicAddressOf(config: Pick<Config, 'publicUrl' | 'host'>, listeningPort: number): PublicAddress {
  if (config.publicUrl !== undefined) return config.publicUrl
  const host = isIP(config.host) === 6 ? `[${config.host}]` : config.host
  const { origin } = new URL(`http://${host}:${listeningPort}`)
  return { serverId: origin, baseUrl: origin }
}

type Values = ReturnType<typeof readValues>

function readValues(read: <Value>(setting: Setting<Value>) => Value) {
  return {
    host: read(SETTINGS.host),
    port: read(SETTINGS.port),
    publicUrl: read(SETTINGS.publicUrl),
    dataDirectory: read(SETTINGS.dataDirectory),
    databasePath: read(SETTINGS.databasePath),
    blobsDirectory: read(SETTINGS.blobsDirectory),
    masterSecretFile: read(SETTINGS.masterSecretFile),
    pagesDirectory: read(SETTINGS.pagesDirectory),
    registration: read(SETTINGS.registration),
    trustedProxies: read(SETTINGS.trustedProxies),
    quotaSoftBytes: read(SETTINGS.quotaSoftBytes),
    quotaHardBytes: read(SETTINGS.quotaHardBytes),
    quotaGraceDays: read(SETTINGS.quotaGraceDays),
    requestBytesMax: read(SETTINGS.requestBytesMax),
    chunkBytesMax: read(SETTINGS.chunkBytesMax),
    chunkBytesSuggested: read(SETTINGS.chunkBytesSuggested),
    blobBytesMax: read(SETTINGS.blobBytesMax),
    freeSpaceFloorBytes: read(SETTINGS.freeSpaceFloorBytes),
    protocolMin: read(SETTINGS.protocolMin),
    protocolMax: read(SETTINGS.protocolMax),
    deprecationLeadDays: read(SETTINGS.deprecationLeadDays),
    accessTokenSeconds: read(SETTINGS.accessTokenSeconds),
    refreshTokenSeconds: read(SETTINGS.refreshTokenSeconds),
    uploadFirstByteSeconds: read(SETTINGS.uploadFirstByteSeconds),
    uploadIdleSeconds: read(SETTINGS.uploadIdleSeconds),
    uploadLifeSeconds: read(SETTINGS.uploadLifeSeconds),
    receiptGuestSeconds: read(SETTINGS.receiptGuestSeconds),
    adoptionLeaseSeconds: read(SETTINGS.adoptionLeaseSeconds),
    collectGraceSeconds: read(SETTINGS.collectGraceSeconds),
    scrubDays: read(SETTINGS.scrubDays),
    linkSessionsPerWindow: read(SETTINGS.linkSessionsPerWindow),
    sourceSessionsPerWindow: read(SETTINGS.sourceSessionsPerWindow),
    passphraseTriesPerWindow: read(SETTINGS.passphraseTriesPerWindow),
    loginTriesPerWindow: read(SETTINGS.loginTriesPerWindow),
    manifestDriftDays: read(SETTINGS.manifestDriftDays),
    deepBytesPerHour: read(SETTINGS.deepBytesPerHour),
    federationUrl: read(SETTINGS.federationUrl),
    sweepSeconds: read(SETTINGS.sweepSeconds),
    logLevel: read(SETTINGS.logLevel),
  }
}

function contradictions(values: Values): string[] {
  const { quotaSoftBytes, quotaHardBytes } = values
  const checks: readonly (readonly [isWrong: boolean, fault: string])[] = [
    [
      values.publicUrl === undefined && !isLoopback(values.host),
      'PUBLIC_URL has to be set, as HOST is not a loopback address',
    ],
    [values.chunkBytesSuggested > values.chunkBytesMax, 'CHUNK_BYTES_SUGGESTED has to be at most CHUNK_BYTES_MAX'],
    [values.protocolMin > values.protocolMax, 'PROTOCOL_MIN has to be at most PROTOCOL_MAX'],
    [
      quotaSoftBytes !== undefined && quotaHardBytes !== undefined && quotaSoftBytes > quotaHardBytes,
      'QUOTA_SOFT_BYTES has to be at most QUOTA_HARD_BYTES',
    ],
  ]
  return checks.filter(([isWrong]) => isWrong).map(([, fault]) => fault)
}

/** The values with every default that depends on another filled in. */
function completed(values: Values) {
  const { dataDirectory } = values
  const isReachedOnLoopback = values.publicUrl === undefined || isLoopback(new URL(values.publicUrl.serverId).hostname)
  const registration: Registration = values.registration ?? (isReachedOnLoopback ? 'open' : 'invite')
  const isRegistrationDefault = values.registration === undefined
  return {
    ...values,
    databasePath: values.databasePath ?? join(dataDirectory, 'blindkeep.sqlite'),
    blobsDirectory: values.blobsDirectory ?? join(dataDirectory, 'blobs'),
    // Beside the data and in a directory of its own, so that a backup of the database and the objects leaves it out.
    masterSecretFile: values.masterSecretFile ?? join(dataDirectory, 'secrets', 'master.secret'),
    pagesDirectory: values.pagesDirectory ?? builtPages(),
    limitsPath: join(dataDirectory, 'limits'),
    trustedProxies: values.trustedProxies ?? [],
    quotaSoftBytes: values.quotaSoftBytes ?? values.quotaHardBytes,
    registration,
    /** Nobody asked for it to be open: then a request that a proxy forwarded is not to be taken for one from this machine. */
    isRegistrationDefault,
  }
}

/** Where `@blindkeep/web` is installed, which has no code for us: only what it was built into. */
function builtPages(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('@blindkeep/web/package.json'))), 'dist')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  const family = isIP(name)
  return family === 0 ? name === 'localhost' : loopback.check(name, family === 4 ? 'ipv4' : 'ipv6')
}
