import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { createServer } from 'node:net'
import { formatInstant } from '@blindkeep/protocol/ids'
import { inviteLink } from '@blindkeep/protocol/inviteLink'
import manifest from '../package.json' with { type: 'json' }
import { createLog } from './adapters/system/log.ts'
import { type App, createApp } from './app.ts'
import { startWarnings } from './config/startWarnings.ts'
import { type Config, publicAddressOf, readConfig, settingLines } from './config.ts'
import type { IssuedInvite } from './domain/account/invites.ts'
import { errorText } from './errorText.ts'
import type { StoreBroken } from './ports/store.ts'

/** The process: settings, server, signals. Text for people goes to standard output, the log to standard error. */
async function main(): Promise<void> {
  const given = process.argv.slice(2)
  if (given.includes('--help')) return help()
  if (given.length > 0)
    return quit([
      'Blindkeep does not start: it takes no arguments. Commands for operators: npx blindkeep-server --help',
    ])
  const config = readConfig(process.env)
  if ('faults' in config)
    return quit(['Blindkeep does not start: these settings are wrong:', ...config.faults.map((fault) => `  ${fault}`)])
  const log = createLog(config.logLevel)
  const port = config.port === 0 ? await freePort(config.host) : config.port
  const app = await createApp({ config, port, log, version: manifest.version, onBroken: endBroken })
  await app.http.listen({ host: config.host, port })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(app, config))
  welcome({ config, port, hasPages: app.hasPages, invite: await app.issueFirstInvite() })
  // Otherwise it is written at the end, and a killed process has none.
  flushCompileCache()
}

function help(): void {
  const lines = settingLines().map((line) => `  ${line}`)
  console.log(
    ['Runs Blindkeep’s server. It takes no arguments. Its settings come from the environment:', '', ...lines].join(
      '\n',
    ),
  )
}

/** Every receipt has the address, so the port must be known before the server is assembled. */
async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host)
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no free port')
  return address.port
}

interface Welcome {
  readonly config: Config
  readonly port: number
  readonly hasPages: boolean
  readonly invite: IssuedInvite | undefined
}

function welcome({ config, port, hasPages, invite }: Welcome): void {
  const { baseUrl } = publicAddressOf(config, port)
  const lines = [
    `Blindkeep is listening on ${config.host}:${port}`,
    `  address       ${baseUrl}`,
    `  data          ${config.dataDirectory}`,
    ...databaseLines(config.database),
    ...bucketLines(config.blobs),
    `  master secret ${config.masterSecretFile} (keep a copy elsewhere: without it, the server’s keys are lost)`,
    `  registration  ${config.registration}${config.registration === 'invite' ? ': `npx blindkeep-server account invite` makes a code' : ''}`,
    ...(invite === undefined
      ? []
      : [
          `  first invite  ${inviteLink(baseUrl, invite.code)} until ${formatInstant(invite.expiresAt)} (shown only once)`,
        ]),
    ...startWarnings(config).map((warning) => `Warning: ${warning}`),
    hasPages
      ? `Next: open ${baseUrl}/ in a browser, register, make a link, and send it to the person who has files for you.`
      : 'The pages are not built, so a browser shows nothing: run `npm run build`, then start again.',
    `${baseUrl}/openapi.json describes the interface. Ctrl-C stops the server.`,
  ]
  console.log(lines.join('\n'))
}

/** Where PostgreSQL is, without user and password. */
function databaseLines(database: Config['database']): readonly string[] {
  if (database.kind === 'sqlite') return []
  const { hostname, port, pathname, searchParams } = new URL(database.url)
  const host = searchParams.get('host') ?? (hostname || 'localhost')
  return [`  database      ${pathname.slice(1)} of PostgreSQL at ${host}${port === '' ? '' : `:${port}`}`]
}

function bucketLines(blobs: Config['blobs']): readonly string[] {
  if (blobs.kind === 'files') return []
  const { bucket, prefix, endpoint } = blobs.address
  return [`  files         bucket ${bucket}${endpoint === undefined ? '' : ` at ${endpoint}`}, below /${prefix}`]
}

/** Time for running work to end. The next start resumes what did not end. */
const END_MS = 15_000

async function end(app: App, { drainSeconds }: Config): Promise<void> {
  setTimeout(() => process.exit(0), drainSeconds * 1000 + END_MS).unref()
  await app.close()
  process.exit(0)
}

/** After a failed sync of the database, nothing may be acknowledged. The next start reads what is really on the disk. */
function endBroken({ message }: StoreBroken): never {
  console.error(
    `Blindkeep stops: ${message}. Check the database and its disk, then start again. Nothing acknowledged is lost.`,
  )
  process.exit(70)
}

function quit(lines: readonly string[]): void {
  console.error(lines.join('\n'))
  process.exitCode = 1
}

main().catch((error: unknown) => {
  quit([`Blindkeep does not start: ${errorText(error)}`])
  process.exit(1)
})
