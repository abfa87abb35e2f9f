import { describeSettings, settingLines } from '../config.ts'
import { openServerData } from '../data.ts'
import type { Command } from './command.ts'

/** Running the server itself. */
export const serviceCommands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Runs the server, until SIGINT or SIGTERM.',
    details: ['Reads its settings from the environment; `config` lists them.'],
    async run() {
      await import('../main.ts')
      return undefined
    },
  },
  {
    name: 'config',
    summary: 'Lists all settings with meaning and default, or the wrong ones.',
    async run() {
      return { lines: settingLines(), json: { settings: describeSettings() } }
    },
  },
  {
    name: 'migrate',
    summary: 'Updates the database to this release. The server must not run. Its start does the same.',
    async run({ config }) {
      const data = await openServerData(config)
      await data.close()
      return { lines: ['The database is up to date.'], json: { migrated: true } }
    },
  },
]
