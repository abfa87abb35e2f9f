import type { Config } from '../config/config.ts'
import type { SettingSources } from '../config/sources.ts'
import { type ArgumentOptions, parsedArguments } from '../ground/parsedArguments.ts'

/** A command of the operator. `commands.ts` lists them. */
export interface Command {
  /** As typed, one or two words: `fsck`, `keys rotate`. */
  readonly name: string
  /** One sentence for the list of commands. */
  readonly summary: string
  /** More help: when to use it, what it changes, what its exit status means. */
  readonly details?: readonly string[]
  /** Names of the required arguments, in order: `['e-mail']`. */
  readonly takes?: readonly string[]
  /** Also takes no arguments at all. */
  readonly mayTakeNone?: boolean
  readonly options?: Readonly<Record<string, CommandOption>>
  /** Throws an error whose message tells people what to do. Undefined if the process keeps running (`serve`). */
  run(call: Call): Promise<Outcome | undefined>
}

interface CommandOption {
  /** A `flag` has no value; otherwise the name of the value: `BYTES`, `TIME`. */
  readonly value: 'flag' | (string & {})
  readonly meaning: string
}

export interface Call {
  readonly config: Config
  /** Where the settings come from. */
  readonly settings: SettingSources
  /** The arguments that `takes` names, in its order. */
  readonly given: readonly string[]
  /** The value of an option, if it was given. */
  readonly option: (name: string) => string | undefined
  readonly flag: (name: string) => boolean
  /** Prints a line of progress on standard error; nothing with `--json`. */
  readonly tell: (line: string) => void
}

/** The output of a command: lines for people, or the same as JSON with `--json`. */
export interface Outcome {
  readonly lines: readonly string[]
  readonly json: unknown
  /** The command worked and found faults: the exit status is 1. */
  readonly isWrong?: boolean
}

/** The call is wrong: the exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface ParsedCall {
  readonly given: readonly string[]
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly isHelp: boolean
  readonly isJson: boolean
}

/** Throws `UsageError` for an unknown option, a missing value, or a wrong number of arguments. */
export function parseCall(command: Command, argv: readonly string[]): ParsedCall {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(([name, { value }]) => [
      name,
      { type: value === 'flag' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { positionals: given, values } = parsed(command, argv, options)
  const isHelp = values.help === true
  const wanted = command.takes ?? []
  const isRight = given.length === wanted.length || (given.length === 0 && command.mayTakeNone === true)
  if (!isHelp && !isRight)
    throw new UsageError(
      `\`${command.name}\` takes ${wanted.length === 0 ? 'no arguments' : wanted.map((name) => `<${name}>`).join(' ')}. ${moreOf(command)}`,
    )
  return { given, values, isHelp, isJson: values.json === true }
}

function parsed(command: Command, argv: readonly string[], options: ArgumentOptions) {
  try {
    return parsedArguments(argv, options, true)
  } catch (error) {
    // Node goes on about arguments that begin with a dash.
    const [why] = (error instanceof Error ? error.message : String(error)).split('. ')
    throw new UsageError(`${why}. ${moreOf(command)}`)
  }
}

const moreOf = ({ name }: Command) => `\`blindkeep-server ${name} --help\` says more.`

const COMMON_OPTIONS: Readonly<Record<string, CommandOption>> = {
  data: { value: 'DIR', meaning: 'In place of DATA_DIR.' },
  config: {
    value: 'FILE',
    meaning:
      'Reads settings from FILE, as lines NAME=value. Without it from .env of the working directory, if there is one.',
  },
  json: { value: 'flag', meaning: 'Prints JSON for programs.' },
  help: { value: 'flag', meaning: 'Prints this help.' },
}

export function helpOf(command: Command): readonly string[] {
  const takes = (command.takes ?? [])
    .map((name) => (command.mayTakeNone === true ? ` [${name}]` : ` <${name}>`))
    .join('')
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS })
  const shown = options.map(([name, { value, meaning }]) => [
    `--${name}${value === 'flag' ? '' : ` ${value}`}`,
    meaning,
  ])
  return [
    `blindkeep-server ${command.name}${takes} [options]`,
    '',
    command.summary,
    ...(command.details ?? []),
    '',
    ...columns(shown),
  ]
}

/** Aligns the rows. The number of columns is that of the first row. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) => `  ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join('  ')}`.trimEnd())
}

/** Runs `work` with the opened resource, and closes the resource afterwards, also after an error. */
export async function withOpen<Resource extends { close(): Promise<void> }, Result>(
  opening: Promise<Resource>,
  work: (resource: Resource) => Promise<Result>,
): Promise<Result> {
  const resource = await opening
  try {
    return await work(resource)
  } finally {
    await resource.close()
  }
}
