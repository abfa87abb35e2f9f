/**
 * Sentences name a command as `blindkeep-server …`, wherever they are written. Where they reach a person at a terminal,
 * that becomes what this person types: the program as it was run, with the options that say which server is meant. What
 * programs read (JSON, the log, answers) keeps the plain name.
 */
import { basename, delimiter, dirname, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { shownLines } from '@blindkeep/protocol/terminalText'

interface Run {
  /** As `process.argv`: Node, the program, what was typed. */
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where the program's code lies. */
  readonly codeDirectory: string
}

const COMMAND = /`blindkeep-server( [^`]*)?`/g
const OPTIONS = { config: { type: 'string' }, data: { type: 'string' } } as const

export function hintsOf(run: Run): (text: string) => string {
  const { values } = parseArgs({ args: run.argv.slice(2), options: OPTIONS, strict: false })
  const options = Object.keys(OPTIONS).flatMap((name) => {
    const value = values[name]
    return typeof value === 'string' ? [` --${name} ${quoted(value)}`] : []
  })
  const program = programOf(run)
  return (text) =>
    text.replaceAll(COMMAND, (_, rest: string = '') => {
      // The name alone and help are the same for every server.
      const isOfAny = rest === '' || rest.endsWith(' --help')
      return `\`${program}${rest}${isOfAny ? '' : options.join('')}\``
    })
}

/** `text` for the person who runs this process: also what owners and guests have written cannot move the cursor. */
export function forPerson(text: string): string {
  return shownLines(hintsOf({ argv: process.argv, environment: process.env, codeDirectory: import.meta.dirname })(text))
}

function programOf({ argv: [, path = ''], environment, codeDirectory }: Run): string {
  // `npm start` is the checkout's.
  if (['npx', 'start'].includes(environment.npm_lifecycle_event ?? '')) return 'npx --no-install blindkeep-server'
  if (basename(path) === 'blindkeep-server') {
    const isFound = (environment.PATH ?? '').split(delimiter).includes(dirname(path))
    return isFound ? 'blindkeep-server' : quoted(path)
  }
  const isCheckout = codeDirectory.endsWith(['', 'packages', 'server', 'dist'].join(sep))
  return isCheckout ? 'npx --no-install blindkeep-server' : 'blindkeep-server'
}

/** As a shell reads it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
