import './memory.ts'
import { existsSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { DATA_DIRECTORY } from '../config/dataDirectory.ts'
import { GivenWrongly, givenSettings, parseOptions, type SettingSources } from '../config/sources.ts'
import { RELEASE } from '../ground/release.ts'
import { forPerson } from './hints.ts'

const OPTIONS = {
  port: { type: 'string' },
  data: { type: 'string' },
  config: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** Starts the server with the options of its command line. */
export async function runServer(argv: readonly string[]): Promise<void> {
  try {
    const options = parseOptions(argv, OPTIONS)
    if (options.version === true) console.log(RELEASE)
    else if (options.help === true) await help()
    else await serve(givenSettings(process.env, options))
  } catch (error) {
    if (!(error instanceof GivenWrongly)) throw error
    console.error(forPerson(`Blindkeep does not start: ${error.message}`))
    process.exitCode = 1
  }
}

/** Starts the server. Few modules are loaded before the compile cache is on. */
export async function serve(given: SettingSources): Promise<void> {
  useCompileCache(given.environment.DATA_DIR || DATA_DIRECTORY)
  const { start } = await import('./start.ts')
  await start(given)
}

/**
 * Half of a start is compiling. From the second start on a data directory, Node takes what it compiled before. It is
 * kept where only the server may write, because it is code. `NODE_COMPILE_CACHE` names another place.
 */
function useCompileCache(dataDirectory: string): void {
  // Nothing is created in a directory that is not a server's: the setting may be wrong.
  if (!existsSync(join(dataDirectory, 'server.lock'))) return
  const directory = join(dataDirectory, 'compiled')
  try {
    mkdirSync(directory, { mode: 0o700, recursive: true })
    enableCompileCache(directory)
  } catch {
    // A start without it only takes longer.
  }
}

async function help(): Promise<void> {
  const { settingLines } = await import('../config/config.ts')
  const lines = [
    'Runs Blindkeep’s server, until SIGINT or SIGTERM.',
    '',
    '  --port PORT    in place of PORT',
    '  --data DIR     in place of DATA_DIR',
    '  --config FILE  reads settings from FILE, as lines NAME=value; without it from .env of the working directory, if there is one',
    '  --version      prints the version',
    '  --help         prints this help',
    '',
    'An option is stronger than the environment, and the environment is stronger than a file. `blindkeep-server config` shows what is in force.',
    'All settings:',
    '',
    ...settingLines().map((line) => `  ${line}`),
  ]
  console.log(forPerson(lines.join('\n')))
}
