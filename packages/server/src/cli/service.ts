import { describeSettings, settingLines } from '../config/config.ts'
import { settingsInForce } from '../config/inForce.ts'
import { unknownSettingLines } from '../config/unknownSettings.ts'
import { type Command, columns } from './command.ts'

/** Running the server itself. */
export const serviceCommands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Runs the server, until SIGINT or SIGTERM.',
    details: ['`config` shows its settings. A second signal ends it at once.'],
    options: { port: { value: 'PORT', meaning: 'In place of PORT.' } },
    async run({ settings }) {
      const { serve } = await import('../process/serve.ts')
      await serve(settings)
      return undefined
    },
  },
  {
    name: 'config',
    summary: 'Shows the settings in force and where each comes from, or the wrong ones.',
    details: [
      'From an option, the environment, a file (--config, or .env of the working directory), or by default. A running server has the settings of its start; secrets',
      'are hidden. A name that is no setting is said, with its line. With --meanings: what each setting means, and its default.',
    ],
    options: { meanings: { value: 'flag', meaning: 'Explains every setting.' } },
    async run({ config, settings, flag }) {
      if (flag('meanings')) return { lines: settingLines(), json: { settings: describeSettings() } }
      const inForce = settingsInForce(config, settings)
      const warnings = unknownSettingLines(settings)
      return {
        lines: [
          ...columns(inForce.map(({ name, value, origin }) => [name, value, origin])),
          ...warnings.map((warning) => `Warning: ${warning}`),
        ],
        json: { settings: inForce, warnings },
      }
    },
  },
]
