import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { createServer } from 'node:net'
import { createLog } from '../adapters/system/log.ts'
import { createSparingLog } from '../adapters/system/sparingLog.ts'
import { type App, createApp } from '../assembly/app.ts'
import { type Config, readConfig } from '../config/config.ts'
import type { SettingSources } from '../config/sources.ts'
import { unknownSettingLines, unknownSettings } from '../config/unknownSettings.ts'
import { ServerMoved, WrongServerId } from '../domain/discovery/serverId.ts'
import { errorText } from '../ground/errorText.ts'
import { RELEASE } from '../ground/release.ts'
import type { StoreBroken } from '../ports/store.ts'
import { banner } from './banner.ts'
import { onEnding } from './endSignals.ts'
import { forPerson } from './hints.ts'
import { unusableAddress } from './listening.ts'

/** Settings, server, signals. Text for people goes to standard output, the log to standard error. */
export async function start(given: SettingSources): Promise<void> {
  try {
    const config = readConfig(given.environment)
    if ('faults' in config)
      return quit([
        'Blindkeep does not start: these settings are wrong:',
        ...[...config.faults, ...unknownSettingLines(given)].map((fault) => `  ${fault}`),
      ])
    const log = createSparingLog(createLog(config.logLevel))
    for (const unknown of unknownSettings(given)) log.warn('a setting does nothing', { ...unknown })
    const port = await portToListenOn(config)
    const app = await createApp({ config, port, log, version: RELEASE, onBroken: endBroken })
    await app.http.listen({ host: config.host, port }).catch(unusableAddress(config))
    const metricsAt = { host: config.metricsHost, port: config.metricsPort ?? 0 }
    const metricsSettings = { host: 'METRICS_HOST', port: 'METRICS_PORT' }
    await app.metrics?.listen(metricsAt).catch(unusableAddress(metricsAt, metricsSettings))
    onEnding(process.env, () => void end(app, config))
    const { hasPages, warnings } = app
    const lines = banner({ config, given, port, hasPages, ...(await app.firstUse()), warnings })
    console.log(forPerson(lines.join('\n')))
    // Otherwise it is written at the end, and a killed process has none.
    flushCompileCache()
  } catch (error) {
    quit([`Blindkeep does not start: ${errorText(error)}${portHint(error, given)}`])
    process.exit(1)
  }
}

/**
 * Every receipt has the address, so the port must be known before the server is assembled. Nothing is created in the
 * data directory for a server that could not listen.
 */
async function portToListenOn({ host, port }: Config): Promise<number> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening').catch(unusableAddress({ host, port }))
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no free port')
  return address.port
}

/** Time for running work to end. The next start resumes what did not end. */
const END_MS = 15_000

async function end(app: App, { drainSeconds }: Config): Promise<void> {
  setTimeout(() => process.exit(0), drainSeconds * 1000 + END_MS).unref()
  await app.close()
  process.exit(0)
}

/** After a failed sync nothing may be acknowledged. The next start reads what is really on the disk. */
function endBroken(error: StoreBroken): never {
  const next = error instanceof ServerMoved ? '' : ' Check the database and its disk, then start again.'
  console.error(`Blindkeep stops: ${error.message}.${next} Nothing acknowledged is lost.`)
  process.exit(70)
}

/** `move` takes no `--port`. */
function portHint(error: unknown, { environment, origins }: SettingSources): string {
  const isOption = error instanceof WrongServerId && origins.PORT === '--port'
  return isOption ? ` For \`move\`, also set PORT=${environment.PORT}, as it does not take --port.` : ''
}

function quit(lines: readonly string[]): void {
  console.error(forPerson(lines.join('\n')))
  process.exitCode = 1
}
