/**
 * Where the settings of a process come from: its options first, then the environment, then a file, by default `.env` of
 * the working directory. Loaded before almost everything else, so it does not know the table of settings.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { decodeText } from '@blindkeep/protocol/textFile'
import { type ArgumentOptions, parsedArguments } from '../ground/parsedArguments.ts'
import { readOwnFile } from './ownFile.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What is wrong with the options, or with the file: a sentence for people. */
export class GivenWrongly extends Error {
  override readonly name = 'GivenWrongly'
}

export interface SettingSources {
  /** Of all sources together. */
  readonly environment: Environment
  /** The variables of an option or the file, with which one. All others are the environment's. */
  readonly origins: Readonly<Record<string, string>>
  readonly file: SettingsFile | undefined
}

interface SettingsFile {
  readonly path: string
  /** May have secrets. */
  readonly text: string
}

type OptionValues = Readonly<Record<string, string | boolean | undefined>>

/** The options that are settings, and their variables. */
const SETTING_OPTIONS = { port: 'PORT', data: 'DATA_DIR' } as const

const DEFAULT_FILE = '.env'

/** Throws `GivenWrongly` for anything that is not one of `options`. */
export function parseOptions(argv: readonly string[], options: ArgumentOptions): OptionValues {
  try {
    return parsedArguments(argv, options).values
  } catch (error) {
    const [why] = (error instanceof Error ? error.message : String(error)).split('. ')
    throw new GivenWrongly(
      `${why}. \`blindkeep-server serve --help\` lists its options, \`blindkeep-server --help\` the commands.`,
    )
  }
}

/** An empty variable counts as unset. Throws `GivenWrongly` if the file that `config` names cannot be read. */
export function givenSettings(environment: Environment, options: OptionValues): SettingSources {
  const file = fileOf(typeof options.config === 'string' ? options.config : undefined)
  const merged: Record<string, string | undefined> = {}
  const origins: Record<string, string> = {}
  const take = (values: Environment, origin?: string) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined || value === '') continue
      merged[name] = value
      if (origin === undefined) delete origins[name]
      else origins[name] = origin
    }
  }
  if (file !== undefined) take(file.values, file.path)
  take(environment)
  for (const [option, name] of Object.entries(SETTING_OPTIONS)) {
    const value = options[option]
    if (typeof value === 'string') take({ [name]: value }, `--${option}`)
  }
  return { environment: merged, origins, file: file && { path: file.path, text: file.text } }
}

/** Values of a file's text. A line that ends with a space after `=` takes the next line as its value. */
export function settingsIn(text: string): Environment {
  return parseEnv(text.replaceAll(/[ \t]+$/gm, ''))
}

function fileOf(named: string | undefined): (SettingsFile & { readonly values: Environment }) | undefined {
  if (named === undefined && !existsSync(DEFAULT_FILE)) return undefined
  const path = resolve(named ?? DEFAULT_FILE)
  try {
    const text = decodeText(readOwnFile(path, { isNamed: named !== undefined }))
    return { path, text, values: settingsIn(text) }
  } catch (error) {
    throw new GivenWrongly(`the settings in ${path} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
