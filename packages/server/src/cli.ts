import { type Command, columns, helpOf, type ParsedCall, parseCall, UsageError } from './cli/command.ts'
import { COMMANDS } from './cli/commands.ts'
import { readConfig } from './config.ts'
import { errorText } from './errorText.ts'

/**
 * `blindkeep-server`: the operator's commands. Results go to standard output, everything else to standard error.
 * Exit status: 0 done · 1 failed, or found faults · 2 the call was wrong.
 */
async function main(argv: readonly string[]): Promise<number | undefined> {
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
  const config = readConfig(process.env)
  if ('faults' in config) {
    complain(['these settings are wrong:', ...config.faults.map((fault) => `  ${fault}`)].join('\n'))
    return 1
  }
  const outcome = await command.run({
    config,
    given,
    option(name) {
      const value = values[name]
      return typeof value === 'string' ? value : undefined
    },
    flag: (name) => values[name] === true,
    tell: (line) => {
      if (!isJson) console.error(line)
    },
  })
  if (outcome === undefined) return undefined
  print(isJson ? [JSON.stringify(outcome.json, undefined, 2)] : outcome.lines)
  return outcome.isWrong === true ? 1 : 0
}

/** The longest name wins: `keys rotate` before `keys`. */
function commandOf(argv: readonly string[]): Command | undefined {
  const typed = [argv.slice(0, 2).join(' '), argv[0]]
  return COMMANDS.find(({ name }) => name === typed[0]) ?? COMMANDS.find(({ name }) => name === typed[1])
}

function unknownCommand(argv: readonly string[]): number {
  const isAsked = argv.length === 0 || argv.includes('--help')
  const known = COMMANDS.map(({ name, summary }) => [name, summary])
  const lines = [
    'blindkeep-server <command> [options]',
    '',
    ...columns(known),
    '',
    '`blindkeep-server <command> --help` says more. Settings come from the environment: see `config`.',
  ]
  if (isAsked) print(lines)
  else complain([`there is no command ${argv.join(' ')}.`, ...lines].join('\n'))
  return isAsked ? 0 : 2
}

function print(lines: readonly string[]): void {
  if (lines.length > 0) console.log(lines.join('\n'))
}

function complain(text: string): void {
  console.error(`blindkeep-server: ${text}`)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  complain(errorText(error))
  process.exitCode = error instanceof UsageError ? 2 : 1
}
