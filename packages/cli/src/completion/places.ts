/** What may stand where in a line, as commander's own tree of commands says. */
import type { Argument, Command, Option } from 'commander'

/** What a shell offers for an argument or the value of a flag. */
export type Values = 'files' | 'none' | readonly string[]

export interface Word {
  readonly text: string
  readonly about: string
}

export interface Flag extends Word {
  /** Undefined for a flag without a value. */
  readonly value: Values | undefined
}

/** A point of a line: behind these commands. */
export interface Place {
  /** `link create`; empty at the beginning. */
  readonly path: string
  readonly commands: readonly Word[]
  readonly flags: readonly Flag[]
  readonly values: Values
}

export function placesOf(command: Command, path = ''): readonly Place[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command).filter((sub) => sub.name() !== 'help')
  const named = commands.flatMap((sub) => [sub.name(), ...sub.aliases()].map((text) => ({ text, sub })))
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  const place = {
    path,
    commands: named.map(({ text, sub }) => ({ text, about: sub.description() })),
    flags: options.flatMap(flagsOf),
    values: valuesOfAll(command.registeredArguments),
  }
  return [place, ...named.flatMap(({ text, sub }) => placesOf(sub, `${path} ${text}`.trim()))]
}

function flagsOf({ long, description, required, optional, flags, argChoices }: Option): readonly Flag[] {
  if (!long) return []
  const value = required || optional ? (argChoices ?? valuesOf(flags)) : undefined
  return [{ text: long, about: description, value }]
}

function valuesOfAll(args: readonly Argument[]): Values {
  const values = args.map((argument) => argument.argChoices ?? valuesOf(argument.name()))
  return values.includes('files') ? 'files' : (values[0] ?? 'none')
}

/** By the name that the help shows: of an argument, or behind a flag. */
function valuesOf(name: string): Values {
  return /(?:^|[<[])(?:file|folder|path)\b/.test(name) ? 'files' : 'none'
}
