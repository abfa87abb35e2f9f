import { escapedJson } from '@blindkeep/protocol/terminalText'
import { readConfig } from '../config/config.ts'
import { GivenWrongly, givenSettings } from '../config/sources.ts'
import { unknownSettingLines } from '../config/unknownSettings.ts'
import { errorText } from '../ground/errorText.ts'
import { RELEASE } from '../ground/release.ts'
import { forPerson } from '../process/hints.ts'
import { type Command, columns, helpOf, type ParsedCall, parseCall, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'

/**
 * Runs one command. Results go to standard output, everything else to standard error.
 * Exit status: 0 done · 1 failed, or found faults · 2 the call was wrong.
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await statusOf(argv)
  } catch (error) {
    complain(errorText(error))
    process.exitCode = error instanceof UsageError || error instanceof GivenWrongly ? 2 : 1
  }
}

async function statusOf(typed: readonly string[]): Promise<number | undefined> {
  if (typed.length === 1 && typed[0] === '--version') {
    print([RELEASE])
    return 0
  }
  const argv = withCommand(typed)
  const command = commandOf(argv)
  if (command === undefined) return unknownCommand(argv)
  const call = parseCall(command, argv.slice(command.name.split(' ').length))
  if (call.isHelp) {
    print(helpOf(command))
    return 0
  }
  return run(command, call)
}

async function run(command: Command, { given, values, isJson }: ParsedCall): Promise<number | undefined> {
  const settings = givenSettings(process.env, values)
  const config = readConfig(settings.environment)
  if ('faults' in config) {
    const faults = [...config.faults, ...unknownSettingLines(settings)]
    complain(['these settings are wrong:', ...faults.map((fault) => `  ${fault}`)].join('\n'))
    return 1
  }
  const outcome = await command.run({
    config,
    settings,
    given,
    option(name) {
      const value = values[name]
      return typeof value === 'string' ? value : undefined
    },
    flag: (name) => values[name] === true,
    tell: (line) => {
      if (!isJson) console.error(forPerson(line))
    },
  })
  if (outcome === undefined) return undefined
  if (isJson) console.log(escapedJson(JSON.stringify(outcome.json, undefined, 2)))
  else print(outcome.lines)
  return outcome.isWrong === true ? 1 : 0
}

/** The command first: options that name the server may stand before it. Without a command the server starts. */
function withCommand(typed: readonly string[]): readonly string[] {
  let at = 0
  for (let option = typed[at]; option !== undefined && WHICH_SERVER.test(option); option = typed[at])
    at += option.includes('=') ? 1 : 2
  const [first] = typed.slice(at)
  const isMissing = first === undefined || (first.startsWith('--') && first !== '--help')
  return isMissing ? ['serve', ...typed] : [...typed.slice(at), ...typed.slice(0, at)]
}

const WHICH_SERVER = /^--(config|data)(=|$)/

/** The longest name wins: `keys rotate` before `keys`. */
function commandOf(argv: readonly string[]): Command | undefined {
  const typed = [argv.slice(0, 2).join(' '), argv[0]]
  return COMMANDS.find(({ name }) => name === typed[0]) ?? COMMANDS.find(({ name }) => name === typed[1])
}

function unknownCommand(argv: readonly string[]): number {
  const isAsked = argv.includes('--help')
  const named = COMMANDS.filter(({ name }) => name.startsWith(`${argv[0]} `))
  const known = (named.length === 0 ? COMMANDS : named).map(({ name, summary }) => [name, summary])
  const lines = [
    'blindkeep-server [command] [options]',
    '',
    ...columns(known),
    '',
    '`blindkeep-server <command> --help` says more. Without a command it is `serve`. `config` shows the settings and where they come from.',
  ]
  if (isAsked) print(lines)
  else complain([`there is no command ${argv.join(' ')}.`, ...lines].join('\n'))
  return isAsked ? 0 : 2
}

function print(lines: readonly string[]): void {
  if (lines.length > 0) console.log(forPerson(lines.join('\n')))
}

function complain(text: string): void {
  console.error(forPerson(`blindkeep-server: ${text}`))
}
