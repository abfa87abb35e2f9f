import { describeSettings, settingLines } from '../config.ts'
import { migrateData } from '../data.ts'
import type { Command } from './command.ts'

/** Running the server itself. */
export const serviceCommands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Runs the server, until SIGINT or SIGTERM.',
    details: ['Reads its settings from the environment; `config` lists them.'],
    async run() {
      // The program that starts the server takes no arguments, and `serve` is one to it.
      process.argv.splice(2)
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
    summary: 'Updates the database to this release.',
    details: [
      'SQLite: the server must not run. Its start does the same.',
      'PostgreSQL: run it once, before the first node of a new release starts. Nodes of the release before go on serving; they run no jobs.',
    ],
    async run({ config }) {
      await migrateData(config)
      return { lines: ['The database is up to date.'], json: { migrated: true } }
    },
  },
]
