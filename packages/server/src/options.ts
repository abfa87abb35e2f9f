import { GivenWrongly, givenSettings, parseOptions } from './config/given.ts'
import { forPerson } from './hints.ts'
import { RELEASE } from './release.ts'
import { serve } from './serve.ts'

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

async function help(): Promise<void> {
  const { settingLines } = await import('./config.ts')
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
