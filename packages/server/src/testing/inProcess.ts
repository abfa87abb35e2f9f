/** Runs an operator's command in the test's process. */
import assert from 'node:assert/strict'
import { type Outcome, parseCall } from '../cli/command.ts'
import { COMMANDS } from '../cli/commands.ts'
import { readConfig } from '../config/config.ts'
import { defined } from './world.ts'

/** `argv` begins with the whole name, as `keys rotate`; `environment` has all settings. */
export async function runInProcess(
  [name, ...argv]: readonly string[],
  environment: Readonly<Record<string, string>>,
  tell: (line: string) => void = () => undefined,
): Promise<Outcome> {
  const command = defined(COMMANDS.find((each) => each.name === name))
  const { given, values } = parseCall(command, argv)
  const config = readConfig(environment)
  assert.ok(!('faults' in config))
  const settings = { environment, origins: {}, file: undefined }
  const option = (wanted: string) => (typeof values[wanted] === 'string' ? values[wanted] : undefined)
  const flag = (wanted: string) => values[wanted] === true
  return defined(await command.run({ config, settings, given, option, flag, tell }))
}
