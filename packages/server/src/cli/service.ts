import { describeSettings } from '../config.ts'
import { openServerData } from '../data.ts'
import type { Command } from './command.ts'

/** Running the server itself. */
export const serviceCommands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Serves, until it is told to end.',
    details: ['Settings are read from the environment; `config` shows them.'],
    async run() {
      await import('../main.ts')
      return undefined
    },
  },
  {
    name: 'config',
    summary: 'Shows every setting with its default and its meaning, or says which are wrong.',
    async run() {
      const settings = describeSettings()
      const lines = settings.flatMap(({ name, fallback, meaning }) => [name, `    ${meaning} Default: ${fallback}.`])
      return { lines, json: { settings } }
    },
  },
  {
    name: 'migrate',
    summary: 'Brings the database up to this release. The server must not run; its start does the same.',
    async run({ config }) {
      const data = await openServerData(config)
      await data.close()
      return { lines: ['The database is up to date.'], json: { migrated: true } }
    },
  },
]
