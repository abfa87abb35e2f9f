import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'

/** One command of the operator's, as `commands.ts` lists them. */
export interface Command {
  /** As typed, one or two words: `fsck`, `keys rotate`. */
  readonly name: string
  /** One sentence for the list of commands. */
  readonly summary: string
  /** What its help says beyond that: when to use it, what it changes, what its exit status tells. */
  readonly details?: readonly string[]
  /** Names of what has to follow, in order: `['e-mail']`. */
  readonly takes?: readonly string[]
  readonly options?: Readonly<Record<string, CommandOption>>
  /** Throws an error whose message tells a person what to do. Undefined when the process goes on by itself (`serve`). */
  run(call: Call): Promise<Outcome | undefined>
}

interface CommandOption {
  /** A `flag` stands by itself; the value of any other is named: `BYTES`, `TIME`. */
  readonly value: 'flag' | (string & {})
  readonly meaning: string
}

export interface Call {
  readonly config: Config
  /** What `takes` names, in its order; as many. */
  readonly given: readonly string[]
  /** Values of options that were given. */
  readonly option: (name: string) => string | undefined
  readonly flag: (name: string) => boolean
  /** A line about work under way, on standard error. Says nothing with `--json`. */
  readonly tell: (line: string) => void
}

/** What a command has to say: lines for people, or the same as JSON with `--json`. */
export interface Outcome {
  readonly lines: readonly string[]
  readonly json: unknown
  /** The command did its work and found something wrong: the exit status is 1. */
  readonly isWrong?: boolean
}

/** The call itself is wrong: the exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface ParsedCall {
  readonly given: readonly string[]
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly isHelp: boolean
  readonly isJson: boolean
}

/** Throws `UsageError` for an option that the command has not, a value that is missing, or too few or too many arguments. */
export function parseCall(command: Command, argv: readonly string[]): ParsedCall {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(([name, { value }]) => [
      name,
      { type: value === 'flag' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { positionals: given, values } = parsed(argv, options)
  const isHelp = values.help === true
  const wanted = command.takes ?? []
  if (!isHelp && given.length !== wanted.length)
    throw new UsageError(
      `it takes ${wanted.length === 0 ? 'no arguments' : wanted.map((name) => `<${name}>`).join(' ')}`,
    )
  return { given, values, isHelp, isJson: values.json === true }
}

function parsed(argv: readonly string[], options: Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const COMMON_OPTIONS: Readonly<Record<string, CommandOption>> = {
  json: { value: 'flag', meaning: 'Prints JSON for programs.' },
  help: { value: 'flag', meaning: 'Prints this.' },
}

export function helpOf(command: Command): readonly string[] {
  const takes = (command.takes ?? []).map((name) => ` <${name}>`).join('')
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

/** As many columns as the first row has, each as wide as it has to be. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) => `  ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join('  ')}`.trimEnd())
}
